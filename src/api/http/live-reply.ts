// A reply that is written while the work behind it goes on. Parts are asked for one at a time, and the next
// one only when the client has taken the last: a slow reader costs us no memory, and whoever reads nothing
// is cut like any other silent connection. While there is nothing to say an empty line is sent now and then,
// which means nothing in JSON and little in text, so that a long silence does not end the connection.

import type { ServerResponse } from 'node:http';
import { Http2ServerResponse } from 'node:http2';
import { limits } from '#contract';

/** Well below what ends an idle connection. */
const silenceMaxMs = limits.idleSocketTimeoutMs / 3;

/** Ends when all is written, or the client is gone. Fails with what the parts fail with. */
export const writeLive = async (
  raw: ServerResponse,
  parts: AsyncIterable<string>,
  closing: () => string,
  silenceMs = silenceMaxMs,
): Promise<void> => {
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
};

class Reply {
  /** Or what HTTP/2 has in its place, which is written to in the same way. */
  readonly #raw: ServerResponse;
  readonly #timer: NodeJS.Timeout;
  #isSilent = true;
  #isWaiting = false;

  constructor(raw: ServerResponse, silenceMs: number) {
    this.#raw = raw;
    this.#timer = setInterval(() => this.#breakSilence(), silenceMs).unref();
  }

  /** False when there is nobody any more. */
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

  #breakSilence(): void {
    if (this.#isSilent && !this.#isWaiting && isOpen(this.#raw)) this.#raw.write('\n');
    this.#isSilent = true;
  }
}

/** Writing to one that is not would be an error that nobody hears. */
export const isOpen = (raw: ServerResponse | Http2ServerResponse): boolean =>
  raw instanceof Http2ServerResponse
    ? !raw.stream.destroyed && !raw.stream.closed && !raw.writableEnded
    : !raw.destroyed && raw.socket?.destroyed !== true && !raw.writableEnded;

const drained = (raw: NodeJS.EventEmitter): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      raw.off('drain', end);
      raw.off('close', end);
      resolve();
    };
    raw.on('drain', end);
    raw.on('close', end);
  });
