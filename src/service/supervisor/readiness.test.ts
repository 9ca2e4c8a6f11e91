import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLog } from '#platform/log';
import { Readiness } from './readiness.ts';

function scene(...unanswered: readonly string[]) {
  const now = { unanswered };
  const sent: string[] = [];
  const lines: string[] = [];
  const readiness = new Readiness({
    log: createLog({
      thread: 'main',
      level: () => 'info',
      format: 'text',
      nowMs: () => 0,
      write: (line) => void lines.push(line),
    }),
    notifier: { isWanted: true, notify: (...parts) => void sent.push(parts.join('\n')) },
    unanswered: () => now.unanswered,
    listening: () => '127.0.0.1:53',
  });
  return { now, sent, lines, readiness };
}

describe('readiness', () => {
  it('is sent when the service serves and every address is answered', () => {
    const { sent, lines, readiness } = scene();
    readiness.check();
    assert.deepEqual(sent, []);
    readiness.onServing();
    readiness.check();
    assert.deepEqual(sent, ['READY=1']);
    assert.match(lines.join(''), /Ready listening=127\.0\.0\.1:53/u);
  });

  it('waits for an address that is not answered, asks for more time, and is logged once', () => {
    const { now, sent, lines, readiness } = scene('*:53');
    readiness.onServing();
    readiness.check();
    assert.equal(readiness.isAnnounced, false);
    assert.equal(sent.length, 2);
    assert.match(sent[1] ?? '', /^EXTEND_TIMEOUT_USEC=60000000\nSTATUS=Not ready: .*\*:53/u);
    assert.equal(lines.length, 1, lines.join(''));
    now.unanswered = [];
    readiness.check();
    assert.deepEqual(sent.slice(2), ['STATUS=Ready', 'READY=1']);
    assert.equal(readiness.isAnnounced, true);
  });

  it('is sent with the reason when DNS works without the API, and again when the API is back', () => {
    const { sent, lines, readiness } = scene();
    readiness.onServingDnsOnly('No API:\n the file is gone.');
    readiness.onServing();
    assert.deepEqual(sent, ['READY=1\nSTATUS=No API: the file is gone.', 'STATUS=Ready', 'READY=1']);
    assert.equal(lines.length, 1);
  });

  it('is sent again for each api thread', () => {
    const { sent, readiness } = scene();
    readiness.onServing();
    readiness.onServing();
    assert.deepEqual(sent, ['READY=1', 'READY=1']);
  });
});
