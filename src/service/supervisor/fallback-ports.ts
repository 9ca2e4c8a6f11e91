// Ports that are used while the usual ones are not available: another program holds them, or this process has
// no right to them. They replace defaults only, never a configured port. They are not stored, and they are
// closed as soon as the usual port can be opened.

import { formatListenAddress, parseListenAddresses, type ListenAddress } from '#contract';
import type { DnsListening } from '#platform/sockets';
import type { ListenSetting } from '../messages/messages.ts';

/** Tried in this order; 0 is any free port. */
const fallbackPorts: Readonly<Record<ListenSetting, readonly number[]>> = {
  'web.http': [8080, 0],
  'web.https': [8443, 0],
  'dns.listen': [5300, 0],
};

export function fallbacksFor(setting: ListenSetting, address: ListenAddress): readonly ListenAddress[] {
  return fallbackPorts[setting].map((port) => ({ ...address, port }));
}

/**
 * Whether other devices can send queries to the listen address. A resolver of another program on a single
 * address, as those of virtual machines are, is no reason to leave the usual port. IPv4 decides where the
 * machine has it, because most devices are configured with it, and loopback where there is nothing else.
 */
export function isReachable(address: ListenAddress, { open, closed }: DnsListening): boolean {
  const text = formatListenAddress(address);
  const isOurs = (row: { readonly transport: string; readonly wanted: string }): boolean =>
    row.transport === 'udp' && row.wanted === text;
  const opened = open.filter(isOurs).map((socket) => rankOf(socket.address));
  const refused = closed.filter(isOurs).map((socket) => rankOf(hostOf(socket.address)));
  const best = Math.min(...opened, ...refused);
  return opened.includes(best);
}

/** For a fallback port, which has no other reason than to work everywhere. */
export function isComplete(address: ListenAddress, listening: DnsListening): boolean {
  const text = formatListenAddress(address);
  return isReachable(address, listening) && !listening.closed.some(({ wanted }) => wanted === text);
}

/** The best addresses for devices have the lowest rank. */
function rankOf(host: string): number {
  if (/^(?:127\.|169\.254\.|::1$|fe[89ab])/iu.test(host)) return 2;
  return host.includes(':') ? 1 : 0;
}

function hostOf(text: string): string {
  const parsed = parseListenAddresses(text);
  return (parsed.ok ? parsed.addresses[0]?.host : undefined) ?? text;
}

/** The message for a port that could be opened at last. */
export function takenText(setting: string, opened: string, closed: readonly number[]): string {
  const instead = closed.length === 0 ? '' : ` Port ${closed.join(' and ')} is closed again.`;
  return `${setting}: ${opened} is available now and has been opened.${instead}`;
}
