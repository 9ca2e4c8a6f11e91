// The network interfaces of this machine, as everybody in the program reads them. Node throws where the
// kernel refuses to tell, as it does to a process that has no descriptor left; whoever asks then hears what
// was seen last, because interfaces seldom change and nobody can do better than go on with what is known.

import { networkInterfaces } from 'node:os';

export type Interfaces = ReturnType<typeof networkInterfaces>;

export function createInterfacesReader(read: () => Interfaces): () => Interfaces {
  let lastSeen: Interfaces = {};
  return () => {
    try {
      lastSeen = read();
    } catch {
      // As last seen.
    }
    return lastSeen;
  };
}

export const readInterfaces = createInterfacesReader(networkInterfaces);
