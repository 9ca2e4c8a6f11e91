// The reporter of test processes: writes one JSON line for each finished test. The parent process reads these
// lines and prints one report for all processes.

import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

export type TestLine = {
  readonly name: string;
  readonly file: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Whether it is a group of tests (`describe`). */
  readonly isSuite: boolean;
  /** 0 at the top level. */
  readonly nesting: number;
  readonly elapsedMs: number;
  /** Why it failed, or was skipped. */
  readonly reason?: string;
};

/** Written after all tests. It is missing if the process ended earlier, for example by `process.exit()`. */
export const LAST_LINE = '"all tests have ended"\n';

// The runner loads a reporter by its default export.
export default async function* eventReporter(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    yield `${JSON.stringify(lineOf(event))}\n`;
  }
  yield LAST_LINE;
}

function lineOf({ type, data }: Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>): TestLine {
  const isSkipped = data.skip !== undefined && data.skip !== false;
  return {
    name: data.name,
    file: data.file ?? '',
    outcome: type === 'test:fail' ? 'failed' : isSkipped ? 'skipped' : 'passed',
    isSuite: data.details.type === 'suite',
    nesting: data.nesting,
    elapsedMs: data.details.duration_ms,
    ...(type === 'test:fail' && { reason: reasonOf(data.details.error) }),
    ...(isSkipped && { reason: String(data.skip) }),
  };
}

/** The runner wraps the error of a test; the cause is the original error. */
function reasonOf(error: Error): string {
  const thrown: unknown = error.cause ?? error;
  return thrown instanceof Error ? inspect(thrown, { depth: 4 }) : String(thrown);
}
