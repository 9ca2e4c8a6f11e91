// The reference of the HTTP case: the bare framework with one route that returns bytes, in a separate
// process. This file contains both the code that starts the process and the program that runs in it.

import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import fastify from 'fastify';

import { firstReply, freePort, stop } from './service.ts';
import { newFolder } from './workshop.ts';

export type BareServer = {
  readonly pid: number;
  readonly url: string;
  readonly stop: () => Promise<void>;
};

export async function startBareServer(body: string): Promise<BareServer> {
  const file = join(newFolder('bare'), 'body.json');
  writeFileSync(file, body);
  const port = await freePort();
  const child = spawn(process.execPath, [import.meta.filename, String(port), file], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  await firstReply(child, `${url}/api/groups`);
  return { pid: child.pid ?? 0, url, stop: () => stop(child) };
}

async function serve(port: number, bytes: Buffer): Promise<void> {
  const app = fastify();
  app.get('/api/groups', (_request, reply) => {
    void reply.type('application/json').send(bytes);
  });
  await app.listen({ port, host: '127.0.0.1' });
}

if (import.meta.main) {
  const [port, file = ''] = process.argv.slice(2);
  await serve(Number(port), readFileSync(file));
}
