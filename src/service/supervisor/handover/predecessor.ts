// The predecessor as its successor sees it. If the predecessor dies during the handover, everything that it
// had open is closed, so its end counts as a release: the successor keeps serving.

import { checkEveryMs } from './successor-timeout.ts';
import { isFromPredecessor, type FromPredecessor, type FromSuccessor } from './messages.ts';

export class Predecessor {
  readonly #databases = Promise.withResolvers<void>();
  readonly #released = Promise.withResolvers<void>();
  readonly #beat = setInterval(() => this.send({ kind: 'alive' }), checkEveryMs).unref();
  #isWaiting = true;
  #isReadySent = false;

  constructor() {
    process.on('message', this.#onMessage);
    process.on('disconnect', this.#onEnd);
    if (!process.connected) this.#onEnd();
  }

  /** Resolves when the databases may be opened. */
  get databases(): Promise<void> {
    return this.#databases.promise;
  }

  /** Resolves when this process is in charge. */
  get released(): Promise<void> {
    return this.#released.promise;
  }

  /** Whether the predecessor can still resume the service. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** Whether the predecessor is about to release the service. */
  get isDeciding(): boolean {
    return this.#isWaiting && this.#isReadySent;
  }

  send(message: FromSuccessor): void {
    this.#isReadySent ||= message.kind === 'ready';
    void sendToPredecessor(message);
  }

  /** Confirms that this process is in charge: the predecessor may exit. */
  async release(): Promise<void> {
    await sendToPredecessor({ kind: 'in charge' });
    this.leave();
  }

  /** Closes the channel; later messages are dropped. */
  leave(): void {
    clearInterval(this.#beat);
    process.off('message', this.#onMessage);
    process.off('disconnect', this.#onEnd);
    if (process.connected) process.disconnect?.();
  }

  readonly #onMessage = (message: unknown): void => {
    if (isFromPredecessor(message)) this.#handle(message);
  };

  readonly #onEnd = (): void => {
    this.#isWaiting = false;
    this.#databases.resolve();
    this.#released.resolve();
  };

  #handle({ kind }: FromPredecessor): void {
    if (kind === 'released') this.#onEnd();
    this.#databases.resolve();
  }
}

/** Resolves when it is sent. Does nothing in a process without a predecessor. */
export function sendToPredecessor(message: FromSuccessor): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve();
    else process.send(message, undefined, undefined, () => resolve());
  });
}
