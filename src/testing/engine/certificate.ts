// A self-signed certificate for tests of encrypted upstreams, with the names that a test needs, so that
// trusted and untrusted connections can both be tested.

import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { isIP } from 'node:net';

export interface TestCertificate {
  readonly key: string;
  readonly cert: string;
}

export async function makeCertificate(names: readonly string[], nowMs: number): Promise<TestCertificate> {
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=test upstream',
    notBefore: new Date(nowMs - 60_000),
    notAfter: new Date(nowMs + 3_600_000),
    keys: {
      privateKey: privateKey.toCryptoKey(algorithm, false, ['sign']),
      publicKey: createPublicKey(privateKey).toCryptoKey(algorithm, true, ['verify']),
    },
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }) as const),
      ),
    ],
  });
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }), cert: made.toString('pem') };
}
