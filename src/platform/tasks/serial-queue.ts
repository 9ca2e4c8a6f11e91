// A queue that runs one asynchronous task at a time, in the order in which they were added. A task that fails
// rejects for its caller only; the next one still runs. The queue itself has no limit: code that accepts
// tasks from clients has to count them.

export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when every task added so far has ended. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
