// `;client=` of own rules. Like `$client` of lists it names clients, and with `~` those among them that are
// excepted: `192.168.1.0/24,~tablet`. As with `;querytype=`, a `!` in front excepts all that follow.

import { clientWord, shownWord } from './client-words.ts';
import { MAX_MODIFIER_VALUES } from './limits.ts';
import type { Choice } from './scanned-rule.ts';

export interface RuleClients {
  readonly choice: Choice<string>;
  /** The stored form: each client once, sorted. */
  readonly text: string;
}

export interface ClientsProblem {
  readonly hint: string;
  /** The position of the problem in the value, from 0 on. */
  readonly offset: number;
}

const ACCEPTED =
  'accepted are an address, a range (192.168.1.0/24), a MAC address, a host name, the comment or the id of ' +
  'a configured client, and :interface, with commas between several, and ~ before those that are excepted';

export function readRuleClients(value: string): RuleClients | ClientsProblem {
  const isExcept = value.startsWith('!');
  const [only, except] = [new Set<string>(), new Set<string>()];
  let offset = isExcept ? 1 : 0;
  const parts = value.slice(offset).split(/[,|]/);
  if (parts.length > MAX_MODIFIER_VALUES)
    return { hint: `More than ${MAX_MODIFIER_VALUES} clients in one rule`, offset };
  for (const part of parts) {
    const isNegated = !isExcept && part.trimStart().startsWith('~');
    const written = isNegated ? part.trimStart().slice(1).trim() : part.trim();
    const word = clientWord(written);
    if (word === undefined) return { hint: `${problemOf(written)}; ${ACCEPTED}`, offset };
    (isExcept || isNegated ? except : only).add(word);
    offset += part.length + 1;
  }
  return clientsOf([...only].toSorted(), [...except].toSorted());
}

function problemOf(written: string): string {
  return written === '' ? 'A client is missing' : `"${written}" is no client`;
}

function clientsOf(only: readonly string[], except: readonly string[]): RuleClients {
  const excepted = except.map(shownWord);
  const text =
    only.length === 0
      ? `!${excepted.join()}`
      : [...only.map(shownWord), ...excepted.map((word) => `~${word}`)].join();
  return { choice: { only, except }, text };
}
