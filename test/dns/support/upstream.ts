// An upstream that answers every address query after a delay or when the test permits it, and counts queries
// by name: the service also sends its own queries, to detect an upstream that forwards back to it.

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { TestContext } from 'node:test';

import { decode, encode, RECURSION_AVAILABLE, RECURSION_DESIRED, type Answer } from 'dns-packet';

export type Upstream = {
  readonly port: number;
  /** How many queries came for a name; with `*` at the end, for all names that begin so. */
  readonly queriesFor: (name: string) => number;
  /** How many different names were queried: the service retries a name when the upstream is late. */
  readonly namesQueried: (name: string) => number;
  /** Resolves when all queries sent before the call are counted. */
  readonly settled: () => Promise<void>;
  /** The number of answers sent. */
  readonly answered: () => number;
};

const ttlSeconds = 60;
/** The upstream sends this to itself: everything before it in the socket's queue has then been counted. */
const mark = Buffer.from('mark');

/** A delay for `startNamedUpstream`: answers wait until `release` is called. */
export const holdAnswers = (): { readonly released: Promise<void>; readonly release: () => void } => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { released: promise, release: resolve };
};

/** `aliases`: names that get a CNAME record and the address of its target. */
export const startNamedUpstream = async (
  t: TestContext,
  delay: number | Promise<void>,
  aliases: Readonly<Record<string, string>> = {},
): Promise<Upstream> => {
  const socket = createSocket('udp4');
  const names: string[] = [];
  let [isClosed, answered] = [false, 0];
  const marks: (() => void)[] = [];
  socket.on('message', (bytes, { port, address }) => {
    if (bytes.equals(mark)) return marks.shift()?.();
    const { id, questions = [] } = decode(bytes);
    const name = questions[0]?.name.toLowerCase() ?? '';
    names.push(name);
    const reply = encode({
      type: 'response',
      id,
      flags: RECURSION_DESIRED | RECURSION_AVAILABLE,
      // The question in the case of the query, which the service requires.
      questions,
      answers: answersFor(name, aliases[name]),
    });
    const answer = (): void => {
      if (!isClosed) socket.send(reply, port, address, () => answered++);
    };
    if (typeof delay === 'number') setTimeout(answer, delay).unref();
    else void delay.then(answer);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  // A failed test may not close it; it must not keep the test file alive.
  socket.unref();
  t.after(() => {
    isClosed = true;
    socket.close();
  });
  const matches = (wanted: string) => (name: string) =>
    wanted.endsWith('*') ? name.startsWith(wanted.slice(0, -1)) : name === wanted;
  return {
    port: socket.address().port,
    queriesFor: (wanted) => names.filter(matches(wanted)).length,
    settled: () =>
      new Promise((resolve) => {
        marks.push(resolve);
        socket.send(mark, socket.address().port, '127.0.0.1');
      }),
    answered: () => answered,
    namesQueried: (wanted) => new Set(names.filter(matches(wanted))).size,
  };
};

const answersFor = (name: string, alias: string | undefined): Answer[] => {
  const address = { type: 'A', ttl: ttlSeconds, data: '192.0.2.1' } as const;
  return alias === undefined
    ? [{ ...address, name }]
    : [
        { type: 'CNAME', name, ttl: ttlSeconds, data: alias },
        { ...address, name: alias },
      ];
};
