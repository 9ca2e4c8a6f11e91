// A certificate that the user configures: a file with the certificate and its chain, a file with the key
// (they may be the same file). Everything that would make the TLS server fail later is detected here, and
// each failure names the file, the problem and the solution. An expired certificate is no failure: a browser
// shows it with a warning that the user can bypass, which is better than a server that does not answer.

import type { KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { readSmallFile } from './files.ts';
import { failed, type Outcome, type TlsMaterial } from './material.ts';
import { materialOf, parseCertificates, parsePrivateKey } from './pem.ts';
import { errorText } from '../tasks/error-text.ts';

export type ConfiguredFiles = { readonly certFile: string; readonly keyFile: string };

type Chain = { readonly leaf: X509Certificate; readonly rest: readonly X509Certificate[] };

/** Undefined when neither file is set; a failure when only one of them is. */
export function configuredFilesOf(certFile: string, keyFile: string): Outcome<ConfiguredFiles | undefined> {
  if (certFile !== '' && keyFile !== '') return { ok: true, value: { certFile, keyFile } };
  if (certFile === '' && keyFile === '') return { ok: true, value: undefined };
  const [given, lacking] = certFile === '' ? ['key', 'certificate'] : ['certificate', 'key'];
  const file = certFile || keyFile;
  return failed(
    `A TLS ${given} file is set (${file}) but no ${lacking} file. ` +
      'Set both, or neither to use our own certificate.',
  );
}

/** Reads and checks the pair; the result can be passed to a TLS server. */
export async function loadConfiguredCertificate(files: ConfiguredFiles): Promise<Outcome<TlsMaterial>> {
  const chain = await loadChain(files.certFile);
  if (!chain.ok) return chain;
  const key = await loadKey(files.keyFile);
  if (!key.ok) return key;
  const { leaf, rest } = chain.value;
  if (!leaf.checkPrivateKey(key.value)) return failed(mismatch(files, rest, key.value));
  return acceptedByTls(files, materialOf({ source: 'user', file: files.certFile }, leaf, key.value, rest));
}

/** A warning about the validity of a certificate that is served nevertheless; undefined while it is valid. */
export function validityWarning(material: TlsMaterial, nowMs: number): string | undefined {
  if (nowMs > material.notAfterMs) {
    return `The certificate in ${material.file} ended at ${isoTime(material.notAfterMs)}. Renew it.`;
  }
  if (nowMs >= material.notBeforeMs) return undefined;
  const start = isoTime(material.notBeforeMs);
  return `The certificate in ${material.file} begins at ${start}. Check the clock of this machine.`;
}

async function loadChain(path: string): Promise<Outcome<Chain>> {
  const text = await readFor(path, 'certificate');
  if (!text.ok) return text;
  const certificates = parseCertificates(text.value);
  if (!certificates) return failed(`A certificate in ${path} is damaged. Copy the file anew.`);
  const [leaf, ...rest] = certificates;
  if (leaf) return { ok: true, value: { leaf, rest } };
  return failed(
    `${path} holds no PEM certificate (a block that begins with "-----BEGIN CERTIFICATE-----"). ` +
      `Convert a DER file with: openssl x509 -inform der -in ${path} -out cert.pem`,
  );
}

async function loadKey(path: string): Promise<Outcome<KeyObject>> {
  const text = await readFor(path, 'key');
  if (!text.ok) return text;
  const key = parsePrivateKey(text.value);
  if (key) return { ok: true, value: key };
  const wrong = text.value.includes('ENCRYPTED')
    ? 'is protected by a passphrase'
    : 'holds no PEM private key that can be read';
  return failed(
    `The key file ${path} ${wrong}. Write a plain one with: openssl pkey -in ${path} -out key.pem`,
  );
}

async function readFor(path: string, what: 'certificate' | 'key'): Promise<Outcome<string>> {
  const file = await readSmallFile(path);
  if (file.state === 'present') return { ok: true, value: file.text };
  const why = file.state === 'absent' ? `${path} does not exist` : file.problem;
  return failed(
    `The TLS ${what} file cannot be read: ${why}. Correct the path or the permissions of the file.`,
  );
}

/** The usual cause is a chain in the wrong order, which has another solution. */
function mismatch(
  { certFile, keyFile }: ConfiguredFiles,
  rest: readonly X509Certificate[],
  key: KeyObject,
): string {
  if (rest.some((certificate) => certificate.checkPrivateKey(key))) {
    return `The first certificate in ${certFile} is not the server's. Put that first, its issuers after it.`;
  }
  const fault = `The key in ${keyFile} does not belong to the certificate in ${certFile}.`;
  return `${fault} Use the key that the certificate was made with.`;
}

/** OpenSSL decides last: it refuses keys that are too short and signatures that are too weak. */
function acceptedByTls(files: ConfiguredFiles, material: TlsMaterial): Outcome<TlsMaterial> {
  try {
    createSecureContext({ key: material.key, cert: material.cert });
    return { ok: true, value: material };
  } catch (error) {
    return failed(
      `TLS refuses the certificate in ${files.certFile} (${errorText(error)}). ` +
        'Use an EC key, or RSA of 2048 bits or more.',
    );
  }
}

function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ') + ' UTC';
}
