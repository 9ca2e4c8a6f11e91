import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:net';
import { describe, it } from 'node:test';
import { freePort } from '../../../test/running/free-port.ts';
import { loadLibc, type OpenListener } from '#platform/sockets';
import type { ListenOccasion } from '../messages/messages.ts';
import { SocketsKeeper } from './sockets-keeper.ts';

async function occupy(): Promise<{ server: Server; port: number }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return { server, port: address.port };
}

function portsOf({ listening }: SocketsKeeper): readonly number[] {
  return listening.open.map(({ listener }) => listener.port);
}

function addressText({ listener: { address, port } }: OpenListener): string {
  return `${address}:${port}`;
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
      assert.deepEqual(outcome.listening.replaced, []);
      keeper.close();
      assert.deepEqual(keeper.listening, { open: [], closed: [], dns: [], replaced: [] });
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
      assert.deepEqual(await keeper.retry(), []);
      await new Promise((resolve) => server.close(resolve));
      assert.deepEqual(await keeper.retry(), [
        `web.http: 127.0.0.1:${port} is available now and has been opened.`,
      ]);
      assert.equal(keeper.listening.open.length, 2);
      keeper.close();
    });

    it('opens another port until the usual one is free, and then closes it', async () => {
      const keeper = new SocketsKeeper(libc);
      const { server, port } = await occupy();
      const wanted = `127.0.0.1:${port}`;
      const first = await listen(keeper, wanted, 'start with fallback');
      assert.ok(first.ok);
      assert.equal(first.listening.open.length, 1);
      const used = first.listening.open[0]?.listener.port ?? 0;
      assert.deepEqual(first.listening.replaced, [{ setting: 'web.http', wanted, port: used }]);
      assert.match(first.listening.closed[0]?.problem ?? '', /taken/);
      // The next api thread of the process sends the same request.
      const second = await listen(keeper, wanted, 'start with fallback');
      assert.deepEqual(second.listening.open, first.listening.open);
      assert.deepEqual(await keeper.retry(), []);
      await new Promise((resolve) => server.close(resolve));
      assert.deepEqual(await keeper.retry(), [
        `web.http: ${wanted} is available now and has been opened. Port ${used} is closed again.`,
      ]);
      assert.deepEqual(portsOf(keeper), [port]);
      assert.deepEqual(keeper.listening.replaced, []);
      keeper.close();
    });

    it('keeps the fallback port of a predecessor, and one that becomes the setting', async () => {
      const { server, port } = await occupy();
      const old = new SocketsKeeper(libc);
      await listen(old, `127.0.0.1:${port}`, 'start with fallback');
      const [used] = portsOf(old);
      const keeper = new SocketsKeeper(libc);
      keeper.inherit(old.inheritable);
      const inherited = await listen(keeper, `127.0.0.1:${port}`, 'start with fallback');
      assert.deepEqual(inherited.listening.open, old.listening.open);
      assert.deepEqual(inherited.listening.replaced, old.listening.replaced);
      const { ok } = await listen(keeper, inherited.listening.open.map(addressText).join(','));
      assert.ok(ok);
      assert.deepEqual(
        [portsOf(keeper), keeper.listening.replaced, keeper.listening.closed],
        [[used], [], []],
      );
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
