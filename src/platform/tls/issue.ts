// Issues certificates (RFC 5280): the authority's, which is self-signed, and the server's, signed by the
// authority. The X.509 library takes some 25 MB and is needed once in two months, so it is imported here and
// only when a certificate is issued. Keys are Node's own. Both certificates begin a day early, for clients
// whose clock is behind. A renewed authority keeps its key and its subject, so certificates chain to the old
// one and to the new one.

import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  X509Certificate,
} from 'node:crypto';
import { isIP } from 'node:net';
import type { Extension, Name, X509CertificateCreateWithKeyParams } from '@peculiar/x509';
import { dayMs } from './material.ts';

/**
 * Browsers refuse server certificates that are valid for more than 398 days; shorter ones exercise the
 * renewal.
 */
export const serverLifeMs = 90 * dayMs;
export const authorityLifeMs = 3650 * dayMs;
const earlyMs = dayMs;

const ecdsa = { name: 'ECDSA', namedCurve: 'P-256' };

type Library = Awaited<ReturnType<typeof library>>;

export type AuthorityRequest = {
  readonly key: KeyObject;
  readonly hostname: string;
  /** The certificate to renew, with the same key; its subject is kept. */
  readonly previous: X509Certificate | undefined;
  readonly nowMs: number;
};

export type ServerRequest = {
  readonly key: KeyObject;
  readonly hostname: string;
  readonly names: readonly string[];
  readonly authorityKey: KeyObject;
  readonly authority: X509Certificate;
  readonly nowMs: number;
};

/** Issues certificates: in this thread, or in one that ends afterwards and frees the library's memory. */
export type Issuer = {
  readonly authority: (request: AuthorityRequest) => Promise<X509Certificate>;
  readonly server: (request: ServerRequest) => Promise<X509Certificate>;
};

export const directIssuer: Issuer = {
  authority: (request) => issueAuthority(request),
  server: (request) => issueServer(request),
};

export function newPrivateKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: ecdsa.namedCurve }).privateKey;
}

/** Whether a key has the type that `newPrivateKey` creates, the only type that this file signs with. */
export function isOurKindOfKey(key: KeyObject): boolean {
  return key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
}

export async function issueAuthority(request: AuthorityRequest): Promise<X509Certificate> {
  const x509 = await library();
  const publicKey = publicOf(request.key);
  const subject = authoritySubject(x509, request);
  const usages = x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign;
  return sign(x509, {
    ...validity(request.nowMs, authorityLifeMs),
    subject,
    issuer: subject,
    publicKey,
    signingKey: signerOf(request.key),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(usages, true),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
    ],
  });
}

export async function issueServer(request: ServerRequest): Promise<X509Certificate> {
  const x509 = await library();
  return sign(x509, {
    ...validity(request.nowMs, serverLifeMs),
    subject: commonName(x509, `Sluice ${request.hostname}`.slice(0, 64)),
    issuer: new x509.X509Certificate(request.authority.raw).subjectName,
    publicKey: publicOf(request.key),
    signingKey: signerOf(request.authorityKey),
    extensions: await serverExtensions(x509, request),
  });
}

async function serverExtensions(x509: Library, request: ServerRequest): Promise<Extension[]> {
  const names = request.names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }) as const);
  return [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension(names),
    await x509.SubjectKeyIdentifierExtension.create(publicOf(request.key)),
    // By key and not by serial number: a renewed authority with the same key must match as well.
    await x509.AuthorityKeyIdentifierExtension.create(publicOf(request.authorityKey)),
  ];
}

/** At most 64 characters (RFC 5280, ub-common-name); the id distinguishes two authorities of one host. */
function authoritySubject(x509: Library, request: AuthorityRequest): Name {
  if (request.previous) return new x509.X509Certificate(request.previous.raw).subjectName;
  const spki = createPublicKey(request.key).export({ type: 'spki', format: 'der' });
  const id = createHash('sha256').update(spki).digest('hex').slice(0, 8);
  return commonName(x509, `Sluice CA ${request.hostname.slice(0, 45)} ${id}`);
}

/** As UTF8String, which the library does not parse; in a plain string it would interpret quotes. */
function commonName(x509: Library, text: string): Name {
  return new x509.Name([{ CN: [{ utf8String: text }] }]);
}

/** Whole seconds: a certificate has no finer resolution. */
function validity(nowMs: number, lifeMs: number): { notBefore: Date; notAfter: Date } {
  const startMs = Math.floor((nowMs - earlyMs) / 1000) * 1000;
  return { notBefore: new Date(startMs), notAfter: new Date(startMs + lifeMs) };
}

/** The library chooses the serial number: 128 random bits. */
async function sign(x509: Library, params: X509CertificateCreateWithKeyParams): Promise<X509Certificate> {
  const made = await x509.X509CertificateGenerator.create(params);
  return new X509Certificate(made.toString('pem'));
}

function publicOf(key: KeyObject): CryptoKey {
  return createPublicKey(key).toCryptoKey(ecdsa, true, ['verify']);
}

function signerOf(key: KeyObject): CryptoKey {
  return key.toCryptoKey(ecdsa, false, ['sign']);
}

async function library() {
  await import('reflect-metadata');
  return import('@peculiar/x509');
}
