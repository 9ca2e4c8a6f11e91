// The predecessor as its successor sees it. A predecessor that dies in the middle of the handover has closed
// everything by that, so its end counts as its consent: the successor goes on serving.

import { lookEveryMs } from './patience.ts';
import { isFromPredecessor, type FromPredecessor, type FromSuccessor } from './messages.ts';

export class Predecessor {
  readonly #databases = Promise.withResolvers<void>();
  readonly #yours = Promise.withResolvers<void>();
  readonly #beat = setInterval(() => this.tell({ kind: 'alive' }), lookEveryMs).unref();
  #isWaiting = true;
  #isReadySaid = false;

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
  get yours(): Promise<void> {
    return this.#yours.promise;
  }

  /** Whether it can still take everything back. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** Whether its decision is on the way. */
  get isDeciding(): boolean {
    return this.#isWaiting && this.#isReadySaid;
  }

  tell(message: FromSuccessor): void {
    this.#isReadySaid ||= message.kind === 'ready';
    void tellPredecessor(message);
  }

  /** This process is in charge: the predecessor may leave. */
  async release(): Promise<void> {
    await tellPredecessor({ kind: 'in charge' });
    this.leave();
  }

  /** The end of the talk: what is said after it is said to nobody. */
  leave(): void {
    clearInterval(this.#beat);
    process.off('message', this.#onMessage);
    process.off('disconnect', this.#onEnd);
    if (process.connected) process.disconnect?.();
  }

  readonly #onMessage = (message: unknown): void => {
    if (isFromPredecessor(message)) this.#hear(message);
  };

  readonly #onEnd = (): void => {
    this.#isWaiting = false;
    this.#databases.resolve();
    this.#yours.resolve();
  };

  #hear({ kind }: FromPredecessor): void {
    if (kind === 'yours') this.#onEnd();
    this.#databases.resolve();
  }
}

/** Resolves when it is said. Does nothing in a process that has no predecessor. */
export const tellPredecessor = (message: FromSuccessor): Promise<void> =>
  new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve();
    else process.send(message, undefined, undefined, () => resolve());
  });
