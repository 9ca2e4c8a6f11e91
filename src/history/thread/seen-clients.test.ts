import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressText } from '#wire';
import { RowTable } from '#engine';
import { maxSeenClients, SeenClients } from './seen-clients.ts';

function begun(): SeenClients {
  const seen = new SeenClients();
  seen.begin((rows) => new RowTable(rows, 5));
  return seen;
}
function texts(seen: SeenClients) {
  return seen.list().map(({ address, lastQueryMs }) => `${addressText(address)} ${lastQueryMs}`);
}
/** 10.0.0.n */
function noteIpv4(seen: SeenClients, last: number, timeMs: number): void {
  return seen.note(0, 0, 0xffff, (10 << 24) | last, timeMs);
}

describe('clients that have asked', () => {
  it('are listed with their last query, the newest first', () => {
    const seen = begun();
    noteIpv4(seen, 1, 100);
    noteIpv4(seen, 2, 200);
    seen.note(0xfd00_0000 | 0, 0, 0, 0x77, 250);
    noteIpv4(seen, 1, 300);
    noteIpv4(seen, 1, 150);
    assert.deepEqual(texts(seen), ['10.0.0.1 300', 'fd00::77 250', '10.0.0.2 200']);
  });

  it('include programs on this machine', () => {
    const seen = begun();
    seen.note(0, 0, 0xffff, (127 << 24) | 1, 2);
    seen.note(0, 0, 0, 1, 1);
    assert.deepEqual(texts(seen), ['127.0.0.1 2', '::1 1']);
  });

  it('are none while DNS is off, and stay when workers are replaced', () => {
    const seen = new SeenClients();
    noteIpv4(seen, 1, 1);
    assert.deepEqual(texts(seen), []);
    seen.begin((rows) => new RowTable(rows, 5));
    noteIpv4(seen, 1, 1);
    seen.begin((rows) => new RowTable(rows, 6));
    assert.deepEqual(texts(seen), ['10.0.0.1 1']);
  });

  it('are a bounded number, without those that asked longest ago', () => {
    const seen = begun();
    for (let last = 0; last < 50_000; last++) noteIpv4(seen, last, last + 1);
    const list = seen.list();
    assert.equal(list.length, maxSeenClients);
    assert.equal(list[0]?.lastQueryMs, 50_000);
    assert.ok((list.at(-1)?.lastQueryMs ?? 0) > 40_000, `${list.at(-1)?.lastQueryMs}`);
  });
});
