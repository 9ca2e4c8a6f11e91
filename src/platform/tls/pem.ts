// Parses PEM text with Node's built-in functions (without loading the X.509 library) and describes a
// certificate. Parsing never throws: the result of unreadable text is `undefined`, and the caller, which
// knows the file, writes the message.

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { TlsMaterial } from './material.ts';
import { namesOfCertificate } from './names.ts';
import type { StoredCertificate } from './renewal.ts';

const certificateBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a file in their order; empty when there are none, undefined when one is broken. */
export function parseCertificates(text: string): X509Certificate[] | undefined {
  try {
    return (text.match(certificateBlock) ?? []).map((block) => new X509Certificate(block));
  } catch {
    return undefined;
  }
}

export function parsePrivateKey(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(text);
  } catch {
    return undefined;
  }
}

export function privateKeyPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' });
}

/** Describes the stored certificate for the decision to renew; `authority` should be its issuer. */
export function describeCertificate(
  certificate: X509Certificate,
  key: KeyObject,
  authority: X509Certificate,
): StoredCertificate {
  return {
    state: 'present',
    keyMatches: certificate.checkPrivateKey(key),
    signedByAuthority: certificate.checkIssued(authority) && certificate.verify(authority.publicKey),
    notBeforeMs: certificate.validFromDate.getTime(),
    notAfterMs: certificate.validToDate.getTime(),
    names: namesOfCertificate(certificate.subjectAltName),
  };
}

/** Builds the input of a server: a leaf, its key and the rest of the chain. */
export function materialOf(
  origin: Pick<TlsMaterial, 'source' | 'file'>,
  leaf: X509Certificate,
  key: KeyObject,
  rest: readonly X509Certificate[],
): TlsMaterial {
  return {
    ...origin,
    key: privateKeyPem(key),
    cert: [leaf, ...rest].map(String).join(''),
    caCert: origin.source === 'own' ? rest.map(String).join('') : undefined,
    notBeforeMs: leaf.validFromDate.getTime(),
    notAfterMs: leaf.validToDate.getTime(),
    fingerprint256: leaf.fingerprint256,
    names: namesOfCertificate(leaf.subjectAltName),
  };
}
