// The reporter that test processes write with: one JSON line for each finished test. The process that runs
// them all reads these lines and prints one report for all, because the usual reporters only know their own
// process.

import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

export type TestLine = {
  readonly name: string;
  readonly file: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Whether it only groups others; a group is no test of its own. */
  readonly isSuite: boolean;
  /** 0 for a test that no other contains. */
  readonly nesting: number;
  readonly elapsedMs: number;
  /** Why it failed, or was skipped. */
  readonly reason?: string;
};

/** Written when all tests have ended. A process that ends earlier, as by `process.exit()`, leaves it out. */
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

/** The runner wraps what a test threw; the cause is what a person wants to read. */
function reasonOf(error: Error): string {
  const thrown: unknown = error.cause ?? error;
  return thrown instanceof Error ? inspect(thrown, { depth: 4 }) : String(thrown);
}
