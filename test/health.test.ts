// Health as probes, users and systemd see it, with a separate program for each situation. A failing part
// gives 503 with the error envelope, a degraded part gives 200 with its name, and both are over when the
// cause is.

import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { cpSync, mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test, type TestContext } from 'node:test';

import { boot, bootFor, type Service } from './running/boot.ts';
import { bindDatagramSocket } from './running/datagram-socket.ts';
import {
  sendQueryWithRetries,
  sendQuery,
  dnsEnvironment,
  dnsPort,
  localName,
} from './running/dns-service.ts';
import { startUpstream } from './running/dns-upstream.ts';
import { temporaryFolder } from './running/folder.ts';
import { freePort } from './running/free-port.ts';
import { runCommand } from './running/program.ts';
import { assertError, at, listAt, type Reply } from './running/reply.ts';
import { until } from './running/waiting.ts';

const withoutDns = { SLUICE_WEB_HTTPS: '' };
/** Tests damage copies of its folder after it has stopped. */
const plain = await boot({ env: withoutDns });
const plainStopped = async (): Promise<void> => (plain.hasEnded() ? undefined : plain.stop());
after(plainStopped);

type Problem = { readonly part: string; readonly reason: string; readonly since: number };

const problemsAt = (reply: Reply, field: string): readonly Problem[] =>
  listAt(reply.body, field).map((row) => ({
    part: String(at(row, 'part')),
    reason: String(at(row, 'reason')),
    since: Number(at(row, 'since')),
  }));

const health = (service: Service): Promise<Reply> => service.call('GET', '/api/health', { via: 'control' });

/** The problem of this part, once health reports it. */
const degradedPart = (service: Service, part: string): Promise<Problem> =>
  until(`${part} is degraded`, async () => {
    const reply = await health(service);
    if (reply.status !== 200) return undefined;
    return problemsAt(reply, 'degraded').find((one) => one.part === part);
  });

const isWell = (service: Service): Promise<Reply> =>
  until('Health is good', async () => {
    const reply = await health(service);
    return reply.status === 200 && at(reply.body, 'status') === 'ok' ? reply : undefined;
  });

const messageTexts = async (service: Service): Promise<readonly string[]> => {
  const { body } = await service.call('GET', '/api/info/messages', { via: 'control' });
  return listAt(body, 'messages').map((row) => String(at(row, 'plain')));
};

const firstLine = async (
  service: Service,
): Promise<{ readonly line: string; readonly code: number | null }> => {
  const { code, out } = await runCommand(['status'], { dir: service.dir });
  return { line: out.split('\n', 1)[0] ?? '', code };
};

/** Log, message, status and metrics all report one degraded part. */
const assertReportedEverywhere = async (
  service: Service,
  { part, reason, since }: Problem,
): Promise<void> => {
  assert.ok(since > 1_700_000_000 && since <= Date.now() / 1000, String(since));
  await service.logged(new RegExp(`DEGRADED: .* part=${part}`, 'u'));
  await until(`A message says: ${reason}`, async () =>
    (await messageTexts(service)).includes(reason) ? true : undefined,
  );
  const { line, code } = await firstLine(service);
  assert.equal(code, 0);
  assert.ok(line.startsWith('DEGRADED: ') && line.includes(reason), line);
  const status = await service.call('GET', '/api/status', { via: 'control' });
  assert.equal(at(status.body, 'status', 'health'), 'degraded');
  assert.ok(listAt(status.body, 'status', 'degraded').some((row) => at(row, 'part') === part));
  const metrics = await service.call('GET', '/metrics', { via: 'control' });
  assert.ok(metrics.text.includes(`sluice_degraded{part="${part}"} 1\n`), metrics.text);
};

const assertOver = async (service: Service, { part, reason }: Problem): Promise<void> => {
  await isWell(service);
  await service.logged(new RegExp(`The part ${part} works again`, 'u'));
  await until(`No message says: ${reason}`, async () =>
    (await messageTexts(service)).includes(reason) ? undefined : true,
  );
  assert.match((await firstLine(service)).line, /^Sluice .* is running/u);
};

/** Occupies an address like another program; the result frees it. */
const occupyPort = async (t: TestContext, address: string, port: number): Promise<() => void> => {
  const [udp, tcp] = [createSocket('udp4'), createServer()];
  udp.bind(port, address);
  tcp.listen(port, address);
  await Promise.all([once(udp, 'listening'), once(tcp, 'listening')]);
  let isTaken = true;
  const release = (): void => {
    if (isTaken) udp.close();
    if (isTaken) tcp.close();
    isTaken = false;
  };
  t.after(release);
  return release;
};

const notifySocket = (t: TestContext) => {
  const path = join(temporaryFolder(), 'notify');
  const socket = bindDatagramSocket(path);
  t.after(socket.close);
  return { path, socket };
};

describe('readiness', () => {
  test('READY=1 is sent when DNS already answers', async (t) => {
    const { path, socket } = notifySocket(t);
    const port = await freePort();
    const booting = boot({
      env: { ...dnsEnvironment(9), SLUICE_DNS_LISTEN: `127.0.0.1:${port}`, NOTIFY_SOCKET: path },
    });
    const messages: string[] = [];
    await until('systemd is messages', () =>
      messages.push(...socket.receive()) > 0 && messages.includes('READY=1') ? true : undefined,
    );
    assert.equal(await sendQuery(port, localName), 0, messages.join('\n'));
    const service = await booting;
    await service.logged(/main: Ready/u);
    await service.stop();
  });

  test('a first start with dns.listen taken is failing, and ready once the port is free', async (t) => {
    const { path, socket } = notifySocket(t);
    const port = await freePort();
    const release = await occupyPort(t, '127.0.0.1', port);
    const listen = `127.0.0.1:${port}`;
    const env = {
      ...dnsEnvironment((await startUpstream(t, 0)).port),
      SLUICE_DNS_LISTEN: listen,
      SLUICE_AUTH_PASSWORD: undefined,
      NOTIFY_SOCKET: path,
    };
    const service = await bootFor(t, { env });

    const reply = await health(service);
    assertError(reply, { status: 503, key: 'unavailable', hint: /taken by another program/u });
    assert.equal(at(reply.body, 'status'), 'failing');
    assert.deepEqual(
      problemsAt(reply, 'failing').map(({ part }) => part),
      ['dns'],
    );
    assert.ok(Number(reply.headers['retry-after']) > 0);
    const stranger = await service.call('GET', '/api/health');
    assertError(stranger, { status: 503, key: 'unavailable' });
    assert.doesNotMatch(stranger.text, /127\.0\.0\.1/u, 'Callers without a session see addresses.');
    await until('The start screen is printed', () => (service.out().includes('Degraded') ? true : undefined));
    assert.match(service.out(), /DNS for devices +DNS is not answered: dns\.listen/u);
    assert.match(service.out().replaceAll(/\s+/gu, ' '), /, process \d+ .* Stop it or choose another port/u);
    await service.logged(/Not ready: DNS is not answered on 127\.0\.0\.1/u);
    const status = await firstLine(service);
    assert.match(status.line, /^FAILING: dns since .*taken by another program/u);
    assert.equal(status.code, 1);
    const messages = [...socket.receive()];
    assert.ok(!messages.some((one) => /READY=1/u.test(one)), messages.join('\n'));
    assert.match(messages[0] ?? '', /^EXTEND_TIMEOUT_USEC=\d+\nSTATUS=Not ready/u);

    release();
    await until('systemd is messages', () => (socket.receive().includes('READY=1') ? true : undefined));
    assert.equal(await sendQuery(port, localName), 0);
    await isWell(service);
    await service.logged(/main: Ready .*127\.0\.0\.1/u);
    await service.logged(/The part dns works again/u);
  });

  test('one of two listen addresses taken gives 200 with dns degraded', async (t) => {
    const port = await freePort();
    const release = await occupyPort(t, '127.0.0.2', port);
    const upstream = await startUpstream(t, 0);
    const env = {
      ...dnsEnvironment(upstream.port),
      SLUICE_DNS_LISTEN: `127.0.0.1:${port},127.0.0.2:${port}`,
    };
    const service = await bootFor(t, { env });
    const problem = await degradedPart(service, 'dns');
    assert.match(problem.reason, /127\.0\.0\.2.*taken by another program/u);
    assert.equal(await sendQueryWithRetries(port, localName), 0);
    await assertReportedEverywhere(service, problem);
    release();
    await assertOver(service, problem);
  });

  test('a service without DNS is healthy', async () => {
    const reply = await plain.call('GET', '/api/health');
    assert.equal(reply.status, 200);
    assert.deepEqual([at(reply.body, 'status'), at(reply.body, 'degraded')], ['ok', []]);
  });
});

/** A data folder whose database lacks these tables. */
async function folderWithout(tables: readonly string[]): Promise<string> {
  await plainStopped();
  const dir = temporaryFolder();
  cpSync(plain.dir, dir, { recursive: true });
  const database = new DatabaseSync(join(dir, 'sluice.db'));
  database.exec('pragma foreign_keys = off');
  for (const table of tables) database.exec(`drop table ${table}`);
  database.close();
  return dir;
}

describe('degraded', () => {
  test('upstreams that do not answer give 200 with upstreams degraded, until one answers', async (t) => {
    const upstreamPort = await freePort();
    const service = await bootFor(t, { env: dnsEnvironment(upstreamPort) });
    const port = await dnsPort(service);
    // No query is needed: the service checks each upstream at the start.
    const problem = await degradedPart(service, 'upstreams');
    assert.match(
      problem.reason,
      new RegExp(`No upstream answers \\(127\\.0\\.0\\.1#${upstreamPort}\\)`, 'u'),
    );
    assert.equal(await sendQueryWithRetries(port, localName), 0);
    await assertReportedEverywhere(service, problem);
    await startUpstream(t, 0, upstreamPort);
    await assertOver(service, problem);
    assert.equal(await sendQueryWithRetries(port, 'a.example'), 0);
  });

  test('a database without sessions, revisions and messages gives 200 with it degraded', async (t) => {
    const tables = ['revisions', 'sessions', 'app_passwords', 'messages'];
    const service = await bootFor(t, { dir: await folderWithout(tables), env: withoutDns });
    const problem = await degradedPart(service, 'database');
    assert.ok(problem.reason.includes(`lacks these tables: ${tables.join(', ')}.`), problem.reason);
    await assertReportedEverywhere(service, problem);
    const made = await service.call('POST', '/api/groups', { body: { name: 'kids' }, via: 'control' });
    assert.equal(made.status, 201, made.text);
    assert.equal((await service.call('GET', '/api/auth/sessions', { via: 'control' })).status, 200);
  });

  test('a database without tables of rules and lists gives 200 with both degraded', async (t) => {
    const tables = ['domains', 'groups', 'clients', 'pauses', 'lists'];
    const service = await bootFor(t, { dir: await folderWithout(tables), env: withoutDns });
    const [rules, lists] = [await degradedPart(service, 'rules'), await degradedPart(service, 'lists')];
    for (const table of tables)
      assert.ok(
        `${rules.reason} ${lists.reason}`.includes(`${table} (no such table: ${table})`),
        rules.reason,
      );
    await assertReportedEverywhere(service, rules);
    await assertReportedEverywhere(service, lists);
  });

  test('a history that cannot be opened gives 200 with history degraded, until it can', async (t) => {
    const dir = temporaryFolder();
    const upstream = await startUpstream(t, 0);
    mkdirSync(join(dir, 'history.db'));
    const service = await bootFor(t, { dir, env: dnsEnvironment(upstream.port) });
    assert.equal(await sendQueryWithRetries(await dnsPort(service), localName), 0);
    const problem = await degradedPart(service, 'history');
    assert.match(problem.reason, /history.*cannot be opened/iu);
    await assertReportedEverywhere(service, problem);
    rmdirSync(join(dir, 'history.db'));
    await assertOver(service, problem);
    rmSync(join(dir, 'history.db'), { force: true });
  });
});
