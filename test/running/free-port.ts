// Free ports for programs that need a fixed port number. They are free for UDP and TCP, and lie below the
// range from which Linux gives ports to clients, so that no other socket gets one between this check and its
// use. Test processes that run at the same time are on different lanes, and each lane has its own block of
// ports, so that two of them never choose the same one.

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Linux assigns ports from 32768 upwards to clients. */
const firstPort = 10_000;
const portsPerLane = 1_000;
const maxLanes = 20;
const host = '127.0.0.1';

const lane = Number(process.env['SLUICE_TEST_LANE'] ?? maxLanes - 1) % maxLanes;
/** Spreads processes that follow each other, or that other checkouts run, over the block. */
let next = (process.pid * 61) % portsPerLane;

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < portsPerLane; tries++) {
    next = (next + 1) % portsPerLane;
    const port = firstPort + lane * portsPerLane + next;
    if ((await isFreeByTcp(port)) && (await isFreeByUdp(port))) return port;
  }
  throw new Error(`None of the ${portsPerLane} ports of lane ${lane} is free.`);
}

async function isFreeByTcp(port: number): Promise<boolean> {
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
}

async function isFreeByUdp(port: number): Promise<boolean> {
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
}
