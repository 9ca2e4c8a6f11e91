// Which program holds a port, for messages about a port that is taken. The kernel lists all sockets of this
// network namespace in /proc/net, and the open files of a process in /proc/PID/fd. Those of other users are
// readable for root only; then the user of the socket is all that is known. Reading all processes costs
// milliseconds, so call it once for a message and not for each attempt to bind.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ListenAddress } from '#contract';
import { parseSocketTable, type SocketRow, type SocketTable } from './socket-table.ts';

export interface PortHolder {
  /** Undefined when this process may not see it. */
  readonly pid: number | undefined;
  readonly name: string | undefined;
  /** Who opened the socket. */
  readonly user: string;
}

export interface HolderQuestion {
  readonly address: ListenAddress;
  readonly kinds: readonly ('udp' | 'tcp')[];
}

/** Open files of all processes that are looked at. */
const maxDescriptors = 200_000;
const wildcards: ReadonlySet<string> = new Set(['0.0.0.0', '::']);
const tables: readonly SocketTable[] = ['udp', 'udp6', 'tcp', 'tcp6'];

type Row = SocketRow & { readonly kind: string };

/** In the order of the questions; undefined where the system lists no socket that conflicts. */
export function findPortHolders(
  questions: readonly HolderQuestion[],
  proc = '/proc',
): readonly (PortHolder | undefined)[] {
  if (questions.length === 0) return [];
  const all = tables.flatMap((table) =>
    parseSocketTable(readText(join(proc, 'net', table)), table).map((row): Row => ({
      ...row,
      kind: table.slice(0, 3),
    })),
  );
  const found = questions.map((question) => conflicting(question, all));
  const pids = processesWith(new Set(found.flatMap((row) => (row === undefined ? [] : [linkOf(row)]))), proc);
  return found.map((row) => row && holderOf(row, pids.get(linkOf(row)), proc));
}

function holderOf(row: Row, pid: number | undefined, proc: string): PortHolder {
  const name = pid === undefined ? undefined : processName(join(proc, String(pid)));
  return { pid, name, user: userName(row.uid) };
}

function linkOf({ inode }: Row): string {
  return `socket:[${inode}]`;
}

/** A socket on the exact address is the more probable cause than one on a wildcard. */
function conflicting({ address, kinds }: HolderQuestion, all: readonly Row[]): Row | undefined {
  const found = all.filter(
    (row) => row.port === address.port && kinds.some((kind) => kind === row.kind) && overlaps(address, row),
  );
  return found.find((row) => !isAny(row)) ?? found[0];
}

/** A wildcard of IPv6 may include IPv4; the table does not say whether it does. */
function overlaps({ family, host }: ListenAddress, row: SocketRow): boolean {
  if (family === 'both') return true;
  if (family === 'ipv6')
    return row.family === 'ipv6' && (host === '::' || isAny(row) || row.address === host);
  return isAny(row) || (row.family === 'ipv4' && (host === '0.0.0.0' || row.address === host));
}

function isAny({ address }: SocketRow): boolean {
  return wildcards.has(address);
}

/** By link, the oldest process that has it open: of a server and its children, the server. */
function processesWith(links: ReadonlySet<string>, proc: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const pids = list(proc).filter((name) => /^\d+$/u.test(name));
  let left = maxDescriptors;
  for (const pid of pids.map(Number).toSorted((one, other) => one - other)) {
    const folder = join(proc, String(pid), 'fd');
    for (const fd of left > 0 && found.size < links.size ? list(folder) : []) {
      const link = readLink(join(folder, fd));
      if (links.has(link) && !found.has(link)) found.set(link, pid);
      left -= 1;
    }
  }
  return found;
}

/**
 * The kernel cuts the name after 15 characters, and some programs name their threads: the command line often
 * has the name that people know.
 */
function processName(folder: string): string {
  const short = readText(join(folder, 'comm')).trim();
  const [program = ''] = readText(join(folder, 'cmdline')).split('\0');
  const long = basename(program);
  return long !== '' && (long.startsWith(short) || short.startsWith(long)) ? long : short;
}

function userName(uid: number): string {
  const line = readText('/etc/passwd')
    .split('\n')
    .find((row) => row.split(':')[2] === String(uid));
  return line?.split(':', 1)[0] ?? String(uid);
}

/** Empty when the folder cannot be read: the process has ended, or belongs to another user. */
function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
