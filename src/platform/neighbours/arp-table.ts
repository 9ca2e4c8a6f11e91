// The kernel's table of IPv4 neighbours as a file (proc(5), /proc/net/arp), for machines without netlink: one
// line per neighbour, with columns for the address, the hardware address and the interface.

import { writeIpv4 } from '#wire';

export interface ArpRow {
  /** 16 bytes: ::ffff:a.b.c.d. */
  readonly address: Uint8Array;
  readonly mac: string;
  readonly interface: string;
}

const complete = 0x2;
const noMac = '00:00:00:00:00:00';
const row = /^([\d.]+)\s+0x[0-9a-f]+\s+0x([0-9a-f]+)\s+((?:[0-9a-f]{2}:){5}[0-9a-f]{2})\s+\S+\s+(\S+)\s*$/iu;

export function parseArpTable(text: string, most: number): readonly ArpRow[] {
  return text.split('\n', most + 1).flatMap((line) => parseRow(row.exec(line)) ?? []);
}

function parseRow(columns: RegExpExecArray | null): ArpRow | undefined {
  const [, address = '', flags = '0', mac = noMac, device = ''] = columns ?? [];
  const isComplete = (Number.parseInt(flags, 16) & complete) !== 0;
  const bytes = mapped(address);
  if (bytes === undefined || mac === noMac || !isComplete) return undefined;
  return { address: bytes, mac: mac.toLowerCase(), interface: device };
}

function mapped(ipv4: string): Uint8Array | undefined {
  const bytes = new Uint8Array(16);
  bytes.fill(0xff, 10, 12);
  return writeIpv4(bytes, 12, ipv4) ? bytes : undefined;
}
