// An upstream that answers every query for an address after a while, or when the test lets it, and knows
// which names it was asked for: the service also asks by itself, to find out whether an upstream leads back
// to it.

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { TestContext } from 'node:test';

import { decode, encode, RECURSION_AVAILABLE, RECURSION_DESIRED, type Answer } from 'dns-packet';

export type Upstream = {
  readonly port: number;
  /** How often a name was asked for; those that begin so when it ends with a star. */
  readonly askedFor: (name: string) => number;
  /** For how many names: an upstream that is late is asked for one more than once. */
  readonly namesAskedFor: (name: string) => number;
  /** Resolves when everything that was sent to it before is counted. */
  readonly settled: () => Promise<void>;
  /** How many answers it has sent. */
  readonly answered: () => number;
};

const ttlSeconds = 60;
/** Sent by the upstream to itself: what was sent to it before lies before it in the queue. */
const mark = Buffer.from('mark');

/** What an upstream is asked while `release` was not called waits for it. */
export const holdAnswers = (): { readonly released: Promise<void>; readonly release: () => void } => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { released: promise, release: resolve };
};

/** `aliases`: names that lead to another one before they have an address. */
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
      // With the case that was asked in, which the service insists on.
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
  // A test that failed may forget it; that must not keep the file from ending.
  socket.unref();
  t.after(() => {
    isClosed = true;
    socket.close();
  });
  const matches = (wanted: string) => (name: string) =>
    wanted.endsWith('*') ? name.startsWith(wanted.slice(0, -1)) : name === wanted;
  return {
    port: socket.address().port,
    askedFor: (wanted) => names.filter(matches(wanted)).length,
    settled: () =>
      new Promise((resolve) => {
        marks.push(resolve);
        socket.send(mark, socket.address().port, '127.0.0.1');
      }),
    answered: () => answered,
    namesAskedFor: (wanted) => new Set(names.filter(matches(wanted))).size,
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
