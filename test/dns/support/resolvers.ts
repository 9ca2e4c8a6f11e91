// unbound and dnsmasq as upstreams: third-party resolvers with local zones and no internet access. Each is
// one process on loopback that ends with the test.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

import { temporaryFolder } from '../../running/folder.ts';
import { freePort } from '../../running/free-port.ts';
import { atEnd, forgettable } from '../../running/leftovers.ts';
import { until, within } from '../../running/waiting.ts';
import { missing, runTool } from './clients.ts';

export type Resolver = { readonly port: number; readonly end: () => Promise<void> };

/** Paths of the certificate and key for DNS over TLS. */
export type Identity = { readonly certFile: string; readonly keyFile: string };
export type SecureResolver = Resolver & { readonly tlsPort: number };

export const bigTextRecords = 30;

const bigText = Array.from(
  { length: bigTextRecords },
  (_, index) => `big 120 TXT "${index} ${'x'.repeat(150)}"`,
).join('\n');

/** Served by unbound: addresses, chains, a text record too big for UDP, and names that do not exist. */
const zone = `$ORIGIN zone.example.
$TTL 120
@ SOA ns.zone.example. admin.zone.example. 1 3600 900 86400 77
@ NS ns.zone.example.
ns A 203.0.113.53
a A 203.0.113.1
a AAAA 2001:db8::1
c1 60 CNAME c2
c2 30 CNAME a
lost 120 CNAME nowhere
private 120 A 192.168.1.1
private 120 A 203.0.113.2
private 120 AAAA fd00::1
tls 120 TYPE65 \\# 3 000100
mail 120 MX 10 a
*.wild 120 A 203.0.113.9
${bigText}
`;

export const startUnbound = async (t: TestContext, identity: Identity): Promise<SecureResolver> => {
  const dir = temporaryFolder();
  const [port, tlsPort] = [await freePort(), await freePort()];
  writeFileSync(join(dir, 'zone'), zone);
  writeFileSync(
    join(dir, 'unbound.conf'),
    `server:
  directory: "${dir}"
  chroot: ""
  username: ""
  pidfile: ""
  use-syslog: no
  do-daemonize: no
  num-threads: 1
  module-config: "iterator"
  root-hints: ""
  interface: 127.0.0.1@${port}
  interface: 127.0.0.1@${tlsPort}
  tls-port: ${tlsPort}
  tls-service-pem: "${identity.certFile}"
  tls-service-key: "${identity.keyFile}"
  local-zone: "." static
  local-zone: "zone.example." transparent
auth-zone:
  name: "zone.example."
  zonefile: "${join(dir, 'zone')}"
  for-downstream: yes
  for-upstream: yes
`,
  );
  const end = await startServer(t, ['unbound', '-d', '-c', join(dir, 'unbound.conf')], {
    wrap: [],
    address: '127.0.0.1',
    port,
  });
  return { port, tlsPort, end };
};

export type DnsmasqOptions = Partial<Where> & {
  /** Each as `name,address`; dnsmasq also answers the reverse query. */
  readonly hosts?: readonly string[];
};

/** Serves addresses, an alias, a text, and dnsmasq's NXDOMAIN without SOA. */
export const startDnsmasq = async (
  t: TestContext,
  { wrap = [], address = '127.0.0.1', port, hosts = [] }: DnsmasqOptions = {},
): Promise<Resolver> => {
  const used = port ?? (await freePort());
  const end = await startServer(
    t,
    [
      ...wrap,
      'dnsmasq',
      '--keep-in-foreground',
      '--conf-file=/dev/null',
      '--no-resolv',
      '--no-hosts',
      '--user=root',
      '--pid-file=',
      '--bind-interfaces',
      `--listen-address=${address}`,
      `--port=${used}`,
      '--local-ttl=90',
      '--local=/masq.example/',
      '--host-record=host.masq.example,203.0.113.20,2001:db8::20',
      '--cname=alias.masq.example,host.masq.example',
      '--txt-record=text.masq.example,hello,world',
      '--address=/all.masq.example/203.0.113.21',
      '--srv-host=_http._tcp.masq.example,host.masq.example,80',
      ...hosts.map((host) => `--host-record=${host}`),
    ],
    { wrap, address, port: used },
  );
  return { port: used, end };
};

type Where = { readonly wrap: readonly string[]; readonly address: string; readonly port: number };

const startServer = async (
  t: TestContext,
  [program = '', ...args]: readonly string[],
  { wrap, address, port }: Where,
): Promise<() => Promise<void>> => {
  // A separate process group: dnsmasq forks for each connection, and the children would keep its port.
  const child = forgettable(spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], detached: true }));
  const kill = (): void => void (child.pid !== undefined && tryKill(-child.pid));
  const errors: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text));
  const ended = once(child, 'close').catch((error: unknown) => errors.push(missing(program), String(error)));
  atEnd(kill);
  const end = async (): Promise<void> => {
    kill();
    await within(`${program} ends`, 30_000, ended);
  };
  t.after(end);
  const question = [`@${address}`, '-p', String(port), '+tries=1', '+time=2', 'x.invalid'];
  await until(`${program} answers`, async () => {
    if (child.exitCode !== null || child.pid === undefined) throw new Error(`${program}: ${errors.join('')}`);
    return (await runTool(wrap, 'dig', question)).includes('status:') ? true : undefined;
  });
  return end;
};

const tryKill = (group: number): void => {
  try {
    process.kill(group, 'SIGKILL');
  } catch {
    // The group has ended already.
  }
};
