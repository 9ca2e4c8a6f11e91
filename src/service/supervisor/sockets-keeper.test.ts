import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:net';
import { describe, it } from 'node:test';
import { freePort } from '../../../test/running/free-port.ts';
import { loadLibc } from '#platform/sockets';
import type { ListenOccasion } from '../messages/messages.ts';
import { SocketsKeeper } from './sockets-keeper.ts';

async function occupy(): Promise<{ server: Server; port: number }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return { server, port: address.port };
}
for (const [kind, libc] of [
  ['descriptors', loadLibc()],
  ['plain addresses', undefined],
] as const) {
  describe(`SocketsKeeper with ${kind}`, () => {
    const listen = async (keeper: SocketsKeeper, text: string, occasion: ListenOccasion = 'change') =>
      keeper.listen('web.http', text, occasion);

    it('opens the wanted addresses and returns the real port', async () => {
      const keeper = new SocketsKeeper(libc);
      const outcome = await listen(keeper, '127.0.0.1:0');
      assert.ok(outcome.ok);
      assert.equal(outcome.listening.open.length, 1);
      assert.ok((outcome.listening.open[0]?.listener.port ?? 0) > 0);
      assert.equal(outcome.replaced, undefined);
      keeper.close();
      assert.deepEqual(keeper.listening, { open: [], closed: [], dns: [] });
    });

    it('keeps a socket that both the old and the new setting list', async () => {
      const keeper = new SocketsKeeper(libc);
      const [one, two] = [await freePort(), await freePort()];
      const first = await listen(keeper, `127.0.0.1:${one}`);
      const second = await listen(keeper, `127.0.0.1:${one},127.0.0.1:${two}`);
      assert.ok(first.ok && second.ok);
      assert.equal(second.listening.open[0]?.listener.fd, first.listening.open[0]?.listener.fd);
      keeper.close();
    });

    it('reverts a change when one of its addresses cannot be opened', async () => {
      const keeper = new SocketsKeeper(libc);
      const { server, port } = await occupy();
      const mine = await freePort();
      await listen(keeper, `127.0.0.1:${mine}`);
      const outcome = await listen(keeper, `127.0.0.1:${await freePort()},127.0.0.1:${port}`);
      assert.ok(!outcome.ok);
      assert.match(outcome.problem, /web\.http.*taken by another program/);
      assert.deepEqual(
        outcome.listening.open.map(({ listener }) => listener.port),
        [mine],
      );
      keeper.close();
      server.close();
    });

    it('opens free addresses at start, and the others once they are free', async () => {
      const keeper = new SocketsKeeper(libc);
      const { server, port } = await occupy();
      const outcome = await listen(keeper, `127.0.0.1:0,127.0.0.1:${port}`, 'start');
      assert.ok(outcome.ok);
      assert.equal(outcome.listening.open.length, 1);
      assert.match(outcome.listening.closed[0]?.problem ?? '', /taken/);
      assert.equal(await keeper.retry(), false);
      await new Promise((resolve) => server.close(resolve));
      assert.equal(await keeper.retry(), true);
      assert.equal(keeper.listening.open.length, 2);
      keeper.close();
    });

    it('replaces a port that is not free at the very first start', async () => {
      const keeper = new SocketsKeeper(libc);
      const { server, port } = await occupy();
      const first = await listen(keeper, `127.0.0.1:${port}`, 'first start');
      assert.ok(first.ok);
      assert.ok(first.replaced !== undefined && first.replaced !== `127.0.0.1:${port}`);
      assert.equal(first.listening.open.length, 1);
      keeper.close();
      server.close();
    });

    it('refuses an invalid address with an explanation', async () => {
      const outcome = await listen(new SocketsKeeper(libc), 'nonsense');
      assert.ok(!outcome.ok && /^web\.http: .*nonsense/.test(outcome.problem));
    });
  });
}

describe('a port that moves between addresses', () => {
  it('is opened on the new address', async () => {
    const keeper = new SocketsKeeper(loadLibc());
    const port = await freePort();
    await keeper.listen('web.http', `*:${port}`, 'change');
    const outcome = await keeper.listen('web.http', `127.0.0.1:${port}`, 'change');
    assert.ok(outcome.ok, 'problem' in outcome ? outcome.problem : '');
    assert.equal(outcome.listening.open[0]?.listener.address, '127.0.0.1');
    keeper.close();
  });
});
