// A self-signed certificate for a resolver that serves DNS over TLS. The program trusts it through
// NODE_EXTRA_CA_CERTS, as it would trust a company's own CA.

import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import 'reflect-metadata';

import {
  BasicConstraintsExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

import { temporaryFolder } from '../../running/folder.ts';
import type { Identity } from './resolvers.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
const hourMs = 3_600_000;

export const issueIdentity = async (names: readonly string[]): Promise<Identity> => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: algorithm.namedCurve });
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=a resolver of the tests',
    notBefore: new Date(Date.now() - hourMs),
    notAfter: new Date(Date.now() + hourMs),
    keys: {
      privateKey: privateKey.toCryptoKey(algorithm, false, ['sign']),
      publicKey: publicKey.toCryptoKey(algorithm, true, ['verify']),
    },
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
      ),
    ],
  });
  const dir = temporaryFolder();
  const identity = { certFile: join(dir, 'cert.pem'), keyFile: join(dir, 'key.pem') };
  writeFileSync(identity.certFile, certificate.toString('pem'));
  writeFileSync(identity.keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  return identity;
};
