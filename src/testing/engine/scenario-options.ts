// Options of the engine with one value changed, named by its path as in `cache.staleSeconds`. A path that
// does not exist is a mistake in the scenario, not a new option.

import type { EngineOptions } from '../../engine/options.ts';

/** `PATH VALUE`, or for lists `PATH + VALUE`. Texts are all that is neither a number nor true or false. */
export function changed(options: EngineOptions, [path = '', ...words]: readonly string[]): EngineOptions {
  const copy = structuredClone(options);
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  let at: Record<string, unknown> = { ...copy };
  const whole = at;
  for (const key of keys) {
    // Options are objects in objects; a missing one is found out below.
    at = (at[key] ?? {}) as Record<string, unknown>;
  }
  if (!(last in at)) throw new Error(`there is no option ${path}`);
  const list = at[last];
  at[last] = Array.isArray(list) ? [...list, words.slice(1).join(' ')] : valueOf(words.join(' '));
  // The same shape as before, with one value replaced.
  return whole as unknown as EngineOptions;
}

function valueOf(text: string): unknown {
  if (/^-?\d+$/u.test(text)) return Number(text);
  return text === 'true' || text === 'false' ? text === 'true' : text;
}
