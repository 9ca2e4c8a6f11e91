// `;client`, `$client` and `$ctag`: rules that apply to some clients only. The engine knows a client by the
// number of its group set, so such a condition is checked once, when the number is assigned: each distinct
// condition of all rules has a number too, and a group set records which conditions its clients fulfil.

import { clientRange } from '../rules/client-words.ts';
import type { Choice, RuleOptions } from '../rules/scanned-rule.ts';
import { isIn } from './client-table.ts';

/** The client of a query, as rules may refer to it. */
export interface ClientFacts {
  readonly address: Uint8Array;
  /** In lower case; the id of a configured client as `#7`. */
  readonly names: readonly string[];
  readonly tags: readonly string[];
}

/** Each is checked for every new client. */
export const mostConditions = 4096;
/** Above the limit a rule applies to no client: one for a single device must not affect all others. */
const noClient = 0;

type Test = (client: ClientFacts) => boolean;

export class ClientConditions {
  readonly #numbers = new Map<string, number>();
  readonly #tests: Test[] = [() => false];

  get count(): number {
    return this.#tests.length;
  }

  /** The number of the condition in these options; -1: none. */
  numberOf({ clients, tags }: RuleOptions): number {
    if (clients === undefined && tags === undefined) return -1;
    const key = JSON.stringify([clients, tags]);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    if (this.#tests.length >= mostConditions) return noClient;
    const number = this.#tests.push(testOf(clients, tags)) - 1;
    this.#numbers.set(key, number);
    return number;
  }

  /** The numbers of the conditions that the client fulfils. */
  fulfilled(client: ClientFacts): number[] {
    const { length } = this.#tests;
    const numbers: number[] = [];
    for (let number = 1; number < length; number++) if (this.#tests[number]?.(client)) numbers.push(number);
    return numbers;
  }
}

function testOf(clients: Choice<string> | undefined, tags: Choice<string> | undefined): Test {
  const isClient = clients === undefined ? () => true : clientTest(clients);
  const hasTag = ({ tags: own }: ClientFacts): boolean =>
    tags === undefined ||
    ((tags.only.length === 0 || tags.only.some((tag) => own.includes(tag))) &&
      !tags.except.some((tag) => own.includes(tag)));
  return (client) => hasTag(client) && isClient(client);
}

function clientTest({ only, except }: Choice<string>): Test {
  const isMeant = anyOf(only);
  const isExcepted = anyOf(except);
  return (client) => (only.length === 0 || isMeant(client)) && !isExcepted(client);
}

/** A word that is neither an address nor a range is a name. */
function anyOf(words: readonly string[]): Test {
  const ranges = words.flatMap((word) => clientRange(word) ?? []);
  const names = words.filter((word) => clientRange(word) === undefined);
  return (client) =>
    names.some((name) => client.names.includes(name)) || ranges.some((range) => isIn(client.address, range));
}
