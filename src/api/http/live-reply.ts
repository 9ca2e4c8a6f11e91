// A reply that is written while the work behind it continues. The next part is requested only when the client
// has read the last one: a slow client costs no memory, and a client that reads nothing is disconnected like
// any idle connection. While there are no parts, empty lines keep the connection alive; they are
// insignificant in JSON and harmless in text.

import type { ServerResponse } from 'node:http';
import { Http2ServerResponse } from 'node:http2';
import { limits } from '#contract';

/** Well below the timeout of an idle connection. */
const maxSilenceMs = limits.idleSocketTimeoutMs / 3;

/** Resolves when everything is written or the client has disconnected. Rejects with the error of `parts`. */
export async function writeLive(
  raw: ServerResponse,
  parts: AsyncIterable<string>,
  closing: () => string,
  silenceMs = maxSilenceMs,
): Promise<void> {
  const reply = new Reply(raw, silenceMs);
  try {
    for await (const part of parts) {
      if (!(await reply.write(part))) return;
    }
    await reply.write(closing());
    raw.end();
  } finally {
    reply.close();
  }
}

class Reply {
  /** Or its HTTP/2 counterpart, which has the same methods. */
  readonly #raw: ServerResponse;
  readonly #timer: NodeJS.Timeout;
  #isSilent = true;
  #isWaiting = false;

  constructor(raw: ServerResponse, silenceMs: number) {
    this.#raw = raw;
    this.#timer = setInterval(() => this.#sendKeepAlive(), silenceMs).unref();
  }

  /** False when the client has disconnected. */
  async write(text: string): Promise<boolean> {
    if (!isOpen(this.#raw)) return false;
    this.#isSilent = false;
    if (text === '' || this.#raw.write(text)) return true;
    this.#isWaiting = true;
    await drained(this.#raw);
    this.#isWaiting = false;
    return isOpen(this.#raw);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #sendKeepAlive(): void {
    if (this.#isSilent && !this.#isWaiting && isOpen(this.#raw)) this.#raw.write('\n');
    this.#isSilent = true;
  }
}

/** Whether the reply can be written to; writing to a closed one would fail silently. */
export function isOpen(raw: ServerResponse | Http2ServerResponse): boolean {
  return raw instanceof Http2ServerResponse
    ? !raw.stream.destroyed && !raw.stream.closed && !raw.writableEnded
    : !raw.destroyed && raw.socket?.destroyed !== true && !raw.writableEnded;
}

function drained(raw: NodeJS.EventEmitter): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      raw.off('drain', end);
      raw.off('close', end);
      resolve();
    };
    raw.on('drain', end);
    raw.on('close', end);
  });
}
