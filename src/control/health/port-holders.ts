// Adds the names of the programs that hold ports to the reasons why addresses are closed, where the system
// lets this process see them. Main only retries; the api thread names the programs, because that reads the
// open files of all processes.

import { parseListenAddresses } from '#contract';
import {
  bindReason,
  cannotListen,
  type ClosedListener,
  findPortHolders,
  type HolderQuestion,
  type Listening,
  type PortHolder,
} from '#platform/sockets';

type Find = (questions: readonly HolderQuestion[]) => readonly (PortHolder | undefined)[];

/** Looks again only when other addresses are taken than before. */
export function createHolderNamer(find: Find = findPortHolders): (listening: Listening) => Listening {
  let asked = '';
  let holders: ReadonlyMap<string, PortHolder | undefined> = new Map();
  return (listening) => {
    const questions = listening.closed.flatMap(questionOf);
    const keys = questions.map(({ key }) => key);
    if (keys.join() !== asked) {
      const found = find(questions);
      holders = new Map(keys.map((key, index) => [key, found[index]]));
    }
    asked = keys.join();
    return { ...listening, closed: listening.closed.map((row) => named(row, holders)) };
  };
}

interface Question extends HolderQuestion {
  readonly key: string;
}

function questionOf(row: ClosedListener): readonly Question[] {
  if (row.code !== 'EADDRINUSE') return [];
  const parsed = parseListenAddresses(row.where.split(' ', 1)[0] ?? '');
  const [address] = parsed.ok ? parsed.addresses : [];
  return address === undefined ? [] : [{ key: `${row.setting} ${row.where}`, address, kinds: row.kinds }];
}

function named(row: ClosedListener, holders: ReadonlyMap<string, PortHolder | undefined>): ClosedListener {
  const [question] = questionOf(row);
  const holder = question && holders.get(question.key);
  if (question === undefined || holder === undefined) return row;
  const reason = bindReason(question.address, row.code, holder);
  return { ...row, reason, problem: cannotListen(row.setting, row.where, reason) };
}
