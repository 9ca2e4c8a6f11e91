// Free ports for programs that need a fixed port number. They are free for UDP and TCP, and lie below the
// range from which Linux gives ports to clients, so that no other socket gets one between this check and its
// use.

import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Linux assigns ports from 32768 upwards to clients. */
const ports = [10_000, 30_000] as const;
const triesMax = 50;
const host = '127.0.0.1';

export const freePort = async (): Promise<number> => {
  for (let tries = 0; tries < triesMax; tries++) {
    const port = randomInt(...ports);
    if ((await isFreeByTcp(port)) && (await isFreeByUdp(port))) return port;
  }
  throw new Error(`No free port in ${triesMax} tries.`);
};

const isFreeByTcp = async (port: number): Promise<boolean> => {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
    return true;
  } catch {
    return false;
  }
};

const isFreeByUdp = async (port: number): Promise<boolean> => {
  const socket = createSocket('udp4');
  try {
    socket.bind(port, host);
    await once(socket, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    socket.close();
    await once(socket, 'close');
  }
};
