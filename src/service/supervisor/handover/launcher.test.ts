// The first process when it turns into the launcher. A real process does it, because nothing else can: a
// signal that was sent to it, but that its event loop has not seen yet, must not be lost.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';

function url(name: string): string {
  return new URL(name, import.meta.url).href;
}

/** Signals itself and hands over at once, before its event loop has had a turn. */
function program(signal: string): string {
  return `
  import { spawn } from 'node:child_process';
  import { writeSync } from 'node:fs';
  import { Launcher } from '${url('./launcher.ts')}';
  import { loadProcessCalls } from '${url('./process-calls.ts')}';
  const launcher = new Launcher(loadProcessCalls(), undefined);
  const ends = launcher.open();
  const stdio = ['ignore', 'ignore', 'inherit', ends.code, ends.life];
  const heir = spawn('sleep', ['30'], { stdio, detached: true });
  launcher.keepOwnEnds(ends);
  process.on('${signal}', () => { writeSync(1, 'heard\\n'); heir.kill('SIGKILL'); });
  process.kill(process.pid, '${signal}');
  await launcher.handOver(heir.pid);
`;
}

async function runToTheEnd(signal: string): Promise<{ readonly out: string; readonly code: number | null }> {
  const args = ['--input-type=module', '--no-warnings', '-e', program(signal)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return { out, code: typeof code === 'number' ? code : null };
}

describe('a process that turns into the launcher', () => {
  for (const signal of ['SIGTERM', 'SIGHUP'])
    it(`hears a ${signal} that came right before`, async () => {
      const { out, code } = await runToTheEnd(signal);
      assert.equal(out, 'heard\n');
      // The one in charge was killed before it could tell its code.
      assert.equal(code, 137);
    });
});
