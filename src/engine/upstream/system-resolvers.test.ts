import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startScene, startServer } from './test-scene.ts';
import { systemResolvers, withoutOurs } from './system-resolvers.ts';
import { answer } from './test-server.ts';

test('our own addresses are left out', () => {
  const isOurs = (address: string, port: number): boolean => address === '127.0.0.1' && port === 53;
  const servers = ['127.0.0.1', '127.0.0.1:5353', '[2001:db8::1]:54', '2001:db8::2', 'nonsense!'];
  assert.deepEqual(withoutOurs(servers, isOurs), ['127.0.0.1:5353', '[2001:db8::1]:54', '2001:db8::2']);
});

test('what the system says is read', () => {
  assert.ok(Array.isArray(systemResolvers(() => false)));
  assert.deepEqual(
    systemResolvers(() => true),
    [],
  );
});

test('the system is asked when no upstream is set, and tells addresses when none is known', async (t) => {
  const server = await startServer(t, (query) => [answer(query, '127.0.0.1')]);
  const scene = startScene(t, { upstreams: [], system: [server.text] });
  assert.equal((await scene.ask('www.example')).upstream, server.text);
  const named = `dns.example#${server.port}`;
  scene.set({ upstreams: [named] });
  assert.equal((await scene.ask('www.example')).upstream, named);
  assert.ok(server.asked.some(({ name }) => name === 'dns.example'));
});
