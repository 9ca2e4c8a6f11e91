// The reply to an update of lists, written while the update runs: lines of text, or one JSON object with each
// entry of `progress` on a separate line, so that a reader can show it at once.

import type { ReplyBody } from '#contract';

type UpdatedLists = ReplyBody<'updateLists', 200>['result'];

/** Yields progress texts, and returns the result. */
export type LiveUpdate = AsyncGenerator<string, UpdatedLists, void>;

/** Without the closing brace, which the envelope adds. */
export async function* jsonParts(update: LiveUpdate): AsyncGenerator<string, void, void> {
  yield '{"progress":[\n';
  let separator = '';
  const result = yield* mapped(update, (text) => {
    const line = `${separator}${JSON.stringify(text)}\n`;
    separator = ',';
    return line;
  });
  yield `],"result":${JSON.stringify(result)}`;
}

export async function* textParts(update: LiveUpdate): AsyncGenerator<string, void, void> {
  const { lists, problem } = yield* mapped(update, (text) => `${text}\n`);
  const failed = lists.filter((list) => list.problem !== null).length;
  const lost = failed === 0 ? [] : [`${failed} of ${lists.length} lists could not be downloaded`];
  const problems = [...lost, ...(problem === null ? [] : ['not all changes are in force'])];
  yield problems.length === 0 ? 'Done\n' : `Done, with problems: ${problems.join('; ')}\n`;
}

async function* mapped(
  update: LiveUpdate,
  map: (text: string) => string,
): AsyncGenerator<string, UpdatedLists, void> {
  for (;;) {
    const next = await update.next();
    if (next.done === true) return next.value;
    yield map(next.value);
  }
}
