// The door of tasks: running asynchronous work in order, and reporting why it failed. It loads nothing else.

export { errorText } from './error-text.ts';
export { SerialQueue } from './serial-queue.ts';
