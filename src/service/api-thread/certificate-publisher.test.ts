import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '#platform/log';
import { directIssuer } from '#platform/tls';
import { scene, someMs } from '#testing/tls/scene';
import { until } from '../../../test/running/waiting.ts';
import { CertificatePublisher } from './certificate-publisher.ts';

test('a renewed certificate reaches all subscribers, and none that has unsubscribed', async (t) => {
  const { options } = await scene(t, someMs);
  let hosts: readonly string[] = [];
  const publisher = new CertificatePublisher({
    ...options,
    settings: () => ({ certFile: '', keyFile: '', hosts }),
    issuer: directIssuer,
    log: createLog({ thread: 'test', level: () => 'error', format: 'text', nowMs: () => someMs }),
  });
  t.after(() => publisher.close());
  const names: string[][] = [[], []];
  for (const received of names) publisher.subscribe(({ names: all }) => received.push(...all));
  const unsubscribe = publisher.subscribe(() => assert.fail('It has unsubscribed.'));
  assert.ok(await publisher.material());
  assert.equal(names.flat().length, 0, 'The first certificate is the result of material().');
  unsubscribe();
  hosts = ['new.example'];
  publisher.applySettings();
  const areRenewed = () => names.every((all) => all.includes('new.example')) || undefined;
  await until('Both subscribers have the renewed certificate', areRenewed);
  assert.ok((await publisher.material())?.names.includes('new.example'));
});
