// The addresses of dns.listen that are not open, one row for each problem. A program that holds a port
// usually holds it for UDP and TCP: then one row reports both.

import { parseListenAddresses } from '#contract';
import type { ClosedListener, DnsListening } from '#platform/sockets';

type Closed = DnsListening['closed'][number];

export function closedRows(setting: string, closed: readonly Closed[]): readonly ClosedListener[] {
  const groups = Map.groupBy(closed, ({ address, problem }) => `${address} ${problem}`);
  return [...groups.values()].flatMap((rows) => rows.slice(0, 1).map((first) => row(setting, first, rows)));
}

function row(setting: string, { address, problem }: Closed, rows: readonly Closed[]): ClosedListener {
  const parsed = parseListenAddresses(address);
  const [one] = parsed.ok ? parsed.addresses : [];
  const transports = rows.map(({ transport }) => transport.toUpperCase()).join(' and ');
  // The text of bindProblem; other problems do not depend on the transport.
  const named = problem.replace(`listen on ${address}:`, `listen on ${address} (${transports}):`);
  return { setting, address: one?.host ?? address, port: one?.port ?? 0, problem: named };
}
