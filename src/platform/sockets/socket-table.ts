// Reads the kernel's tables of sockets (/proc/net/tcp, tcp6, udp, udp6; proc_net_tcp.txt in the kernel's
// documentation): addresses are hexadecimal, each 32 bits of them in host byte order.

import { formatIpv6Groups } from '#contract';

export type SocketTable = 'tcp' | 'tcp6' | 'udp' | 'udp6';

export interface SocketRow {
  readonly family: 'ipv4' | 'ipv6';
  readonly address: string;
  readonly port: number;
  /** Of the user who opened it. */
  readonly uid: number;
  readonly inode: number;
}

const listening = '0A';
/** ::ffff:0:0/96, IPv4 on a socket of IPv6 (RFC 4291 section 2.5.5.2). */
const mappedPrefix = '00000000000000000000ffff';

/** Sockets that can conflict with a new one: listening ones of TCP, and all of UDP. */
export function parseSocketTable(text: string, table: SocketTable): readonly SocketRow[] {
  const isTcp = table.startsWith('tcp');
  return text.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , uid, , inode] = line.trim().split(/\s+/u);
    const [, hex = '', port = ''] = /^([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4})$/u.exec(local) ?? [];
    if (hex === '' || (isTcp && state !== listening)) return [];
    return [{ ...addressOf(hex), port: Number.parseInt(port, 16), uid: Number(uid), inode: Number(inode) }];
  });
}

function addressOf(hex: string): Pick<SocketRow, 'family' | 'address'> {
  const bytes = Buffer.from(hex, 'hex');
  for (let at = 0; at < bytes.length; at += 4) bytes.subarray(at, at + 4).reverse();
  if (bytes.length === 4) return { family: 'ipv4', address: bytes.join('.') };
  if (bytes.toString('hex').startsWith(mappedPrefix))
    return { family: 'ipv4', address: bytes.subarray(12).join('.') };
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(2 * index));
  return { family: 'ipv6', address: formatIpv6Groups(groups) };
}
