// The first process becomes the launcher: a signal that was sent to it, but that its event loop has not
// delivered yet, must not be lost. Only a real process can show that.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';

function url(name: string): string {
  return new URL(name, import.meta.url).href;
}

/** Signals itself and hands over at once, before its event loop polls. */
function program(signal: string): string {
  return `
  import { spawn } from 'node:child_process';
  import { writeSync } from 'node:fs';
  import { Launcher } from '${url('./launcher.ts')}';
  import { loadProcessCalls } from '${url('./process-calls.ts')}';
  const launcher = new Launcher(loadProcessCalls(), undefined);
  const ends = launcher.open();
  const stdio = ['ignore', 'ignore', 'inherit', ends.code, ends.life];
  const successor = spawn('sleep', ['30'], { stdio, detached: true });
  launcher.keepOwnEnds(ends);
  process.on('${signal}', () => { writeSync(1, 'received\\n'); successor.kill('SIGKILL'); });
  process.kill(process.pid, '${signal}');
  await launcher.handOver(successor.pid);
`;
}

async function runToExit(signal: string): Promise<{ readonly out: string; readonly code: number | null }> {
  const args = ['--input-type=module', '--no-warnings', '-e', program(signal)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return { out, code: typeof code === 'number' ? code : null };
}

describe('a process that becomes the launcher', () => {
  for (const signal of ['SIGTERM', 'SIGHUP'])
    it(`receives a ${signal} that was sent right before`, async () => {
      const { out, code } = await runToExit(signal);
      assert.equal(out, 'received\n');
      // The successor was killed before it could write its exit code.
      assert.equal(code, 137);
    });
});
