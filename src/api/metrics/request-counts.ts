// How many requests were answered over HTTP, by the first digit of their status. Replies are counted when
// they are closed; all share one listener function, so that no closure is allocated per request.

import type { ServerResponse } from 'node:http';
import type { RequestHandler } from '../http/raw-request.ts';

export type StatusClass = '1xx' | '2xx' | '3xx' | '4xx' | '5xx';

const classes: readonly StatusClass[] = ['1xx', '2xx', '3xx', '4xx', '5xx'];

export class RequestCounts {
  readonly #counts = new Float64Array(classes.length);

  get byClass(): readonly (readonly [StatusClass, number])[] {
    return classes.map((name, at) => [name, this.#counts[at] ?? 0] as const);
  }

  /** Wraps the handler so that all its replies are counted. */
  counted(handle: RequestHandler): RequestHandler {
    const counts = this.#counts;
    const onClose = function (this: ServerResponse): void {
      if (!this.headersSent) return;
      const at = Math.floor(this.statusCode / 100) - 1;
      counts[at] = (counts[at] ?? 0) + 1;
    };
    return (request, response) => {
      response.on('close', onClose);
      handle(request, response);
    };
  }
}
