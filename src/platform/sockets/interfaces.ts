// The network interfaces of this machine, for the whole program. Node throws when the kernel does not list
// them, for example to a process without a free descriptor; callers then get the last known interfaces,
// because interfaces seldom change.

import { networkInterfaces, type NetworkInterfaceInfo } from 'node:os';

export type Interfaces = ReturnType<typeof networkInterfaces>;

export function createInterfacesReader(read: () => Interfaces): () => Interfaces {
  let lastSeen: Interfaces = {};
  return () => {
    try {
      lastSeen = read();
    } catch {
      // Returns the last known interfaces.
    }
    return lastSeen;
  };
}

export const readInterfaces = createInterfacesReader(networkInterfaces);

/** Without `localeCompare`, whose first call costs a start 10 ms. */
export function ipv4First(addresses: readonly NetworkInterfaceInfo[]): readonly NetworkInterfaceInfo[] {
  return addresses.toSorted((one, other) => rankOf(one) - rankOf(other));
}

function rankOf({ family }: NetworkInterfaceInfo): number {
  return family === 'IPv4' ? 0 : 1;
}
