// `$client` and `$ctag`: rules that apply to some clients only. The engine knows a client by the number of
// its group set, so such a condition is checked once, when the number is assigned: each distinct condition of
// all rules has a number too, and a group set records which conditions its clients fulfil.

import { BlockList } from 'node:net';
import { addressText, isMappedIpv4 } from '#wire';
import type { Choice, RuleOptions } from '../rules/scanned-rule.ts';

/** The client of a query, as rules may refer to it. */
export interface ClientFacts {
  readonly address: Uint8Array;
  /** In lower case. */
  readonly names: readonly string[];
  readonly tags: readonly string[];
}

/** Each is checked for every new client. */
export const maxConditions = 4096;
/** Above the limit a rule applies to no client: one for a single device must not affect all others. */
const noClient = 0;

type Test = (client: ClientFacts, addressText: string, family: 'ipv4' | 'ipv6') => boolean;

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
    if (this.#tests.length >= maxConditions) return noClient;
    const number = this.#tests.push(testOf(clients, tags)) - 1;
    this.#numbers.set(key, number);
    return number;
  }

  /** The numbers of the conditions that the client fulfils. */
  fulfilled(client: ClientFacts): number[] {
    if (this.#tests.length === 1) return [];
    const { address } = client;
    const isIpv4 = isMappedIpv4(address, 0);
    const text = addressText(address);
    return this.#tests.flatMap((test, number) =>
      test(client, text, isIpv4 ? 'ipv4' : 'ipv6') ? [number] : [],
    );
  }
}

function testOf(clients: Choice<string> | undefined, tags: Choice<string> | undefined): Test {
  const isClient = clients === undefined ? () => true : clientTest(clients);
  const hasTag = ({ tags: own }: ClientFacts): boolean =>
    tags === undefined ||
    ((tags.only.length === 0 || tags.only.some((tag) => own.includes(tag))) &&
      !tags.except.some((tag) => own.includes(tag)));
  return (client, text, family) => hasTag(client) && isClient(client, text, family);
}

function clientTest({ only, except }: Choice<string>): Test {
  const isMeant = anyOf(only);
  const isExcepted = anyOf(except);
  return (client, text, family) =>
    (only.length === 0 || isMeant(client, text, family)) && !isExcepted(client, text, family);
}

function anyOf(words: readonly string[]): Test {
  const addresses = new BlockList();
  const names = words.filter((word) => !addTo(addresses, word));
  return (client, text, family) =>
    names.some((name) => client.names.includes(name)) || addresses.check(text, family);
}

/** False when the word is neither an address nor a range: then it is a name. */
function addTo(addresses: BlockList, word: string): boolean {
  const [address = '', bits] = word.split('/');
  const family = address.includes(':') ? 'ipv6' : 'ipv4';
  try {
    if (bits === undefined) addresses.addAddress(address, family);
    else addresses.addSubnet(address, Number(bits), family);
    return true;
  } catch {
    return false;
  }
}
