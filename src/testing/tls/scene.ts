// Shared by the tests of certificates: a temporary folder, a clock that tests set, a user's certificate and
// key file, and a real TLS client. The user's certificate is issued with the functions under test by another
// authority, so that the repository contains no key and no certificate that could expire.

import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { connect, type ConnectionOptions } from 'node:tls';
import { Certificates, type CertificatesOptions } from '../../platform/tls/certificates.ts';
import { directIssuer, issueAuthority, issueServer, newPrivateKey } from '../../platform/tls/issue.ts';
import type { TlsReport } from '../../platform/tls/material.ts';
import { privateKeyPem } from '../../platform/tls/pem.ts';

/** A time for tests without connections: 2027-01-15. */
export const someMs = Date.UTC(2027, 0, 15, 12);

export async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-tls-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export type UserPair = { readonly cert: string; readonly ca: string; readonly key: string };

export async function userPair(name: string, nowMs: number): Promise<UserPair> {
  const authorityKey = newPrivateKey();
  const hostname = 'elsewhere';
  const authority = await issueAuthority({ key: authorityKey, hostname, previous: undefined, nowMs });
  const key = newPrivateKey();
  const cert = await issueServer({ key, hostname, names: [name], authorityKey, authority, nowMs });
  return { cert: cert.toString(), ca: authority.toString(), key: privateKeyPem(key) };
}

export type Scene = {
  readonly folder: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly clock: { nowMs: number };
  readonly addresses: string[];
  readonly reports: TlsReport[];
  readonly options: CertificatesOptions;
  readonly place: (pair: UserPair) => Promise<void>;
  readonly open: (change?: Partial<CertificatesOptions>) => Promise<Certificates>;
};

/** Options without a user's certificate; certificates opened here are closed after the test. */
export async function scene(t: TestContext, nowMs: number): Promise<Scene> {
  const root = await temporaryFolder(t);
  const [folder, certFile, keyFile] = [join(root, 'tls'), join(root, 'user.crt'), join(root, 'user.key')];
  const clock = { nowMs };
  const [addresses, reports]: [string[], TlsReport[]] = [['192.0.2.7'], []];
  const options: CertificatesOptions = {
    folder,
    hostname: 'box',
    hosts: [],
    certFile: '',
    keyFile: '',
    addresses: () => addresses,
    nowMs: () => clock.nowMs,
    issuer: directIssuer,
    report: (report) => reports.push(report),
  };
  const plain = { folder, certFile, keyFile, clock, addresses, reports, options };
  return {
    ...plain,
    async place(pair) {
      await writeFile(certFile, pair.cert + pair.ca);
      await writeFile(keyFile, pair.key);
    },
    async open(change) {
      const opened = await Certificates.open({ ...options, ...change });
      if (!opened.ok) throw new Error(opened.problem);
      t.after(() => opened.value.close());
      return opened.value;
    },
  };
}

export type Seen = { readonly authorized: boolean; readonly fingerprint256: string; readonly names: string };

/** A handshake as a browser would do it: the name is checked, the chain must end in `ca`. */
export function handshake(options: ConnectionOptions): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', ...options }, () => {
      const leaf = socket.getPeerX509Certificate() ?? new X509Certificate('');
      const { fingerprint256, subjectAltName = '' } = leaf;
      resolve({ authorized: socket.authorized, fingerprint256, names: subjectAltName });
      socket.end();
    });
    socket.on('error', reject);
  });
}
