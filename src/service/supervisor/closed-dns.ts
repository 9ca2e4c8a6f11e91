// The addresses of dns.listen that are not open, one row for each problem. A program that holds a port
// usually holds it for UDP and TCP: then one row reports both.

import { parseListenAddresses } from '#contract';
import { bindReason, cannotListen, type ClosedListener, type DnsListening } from '#platform/sockets';

type Closed = DnsListening['closed'][number];

export function closedRows(setting: string, closed: readonly Closed[]): readonly ClosedListener[] {
  const groups = Map.groupBy(closed, ({ address, problem }) => `${address} ${problem}`);
  return [...groups.values()].flatMap((rows) => rows.slice(0, 1).map((first) => row(setting, first, rows)));
}

function row(setting: string, first: Closed, rows: readonly Closed[]): ClosedListener {
  const { address, wanted, code } = first;
  const parsed = parseListenAddresses(address);
  const [one] = parsed.ok ? parsed.addresses : [];
  const kinds = rows.map(({ transport }) => transport);
  const where = `${address} (${kinds.map((kind) => kind.toUpperCase()).join(' and ')})`;
  const place = { setting, address: one?.host ?? address, port: one?.port ?? 0, wanted, where, kinds, code };
  // Without a code the problem does not depend on the transport.
  if (one === undefined || code === '') return { ...place, reason: first.problem, problem: first.problem };
  const reason = bindReason(one, code);
  return { ...place, reason, problem: cannotListen(setting, where, reason) };
}
