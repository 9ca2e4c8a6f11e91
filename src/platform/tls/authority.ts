// The service's own certificate authority on disk: `ca.key` and `ca.crt`. Users import the certificate into
// their devices, so the key must be preserved: it is written first and never replaced while it is readable,
// and a certificate that is missing, broken or about to expire is issued again with the same key. A crash
// between the two writes leaves a key without its certificate, and the next start issues the certificate. A
// key file that cannot be opened (permissions) is a failure, not a reason to overwrite it; one without a
// usable key is put aside.

import type { KeyObject, X509Certificate } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileText, readSmallFile, writeFileAtomically } from './files.ts';
import { type Issuer, isOurKindOfKey, newPrivateKey } from './issue.ts';
import { failed, type Outcome } from './material.ts';
import { describeCertificate, parseCertificates, parsePrivateKey, privateKeyPem } from './pem.ts';
import { reasonToRenewAuthority } from './renewal.ts';

export type Authority = {
  readonly key: KeyObject;
  readonly certificate: X509Certificate;
  /** A problem although everything works: trust was lost, or a renewal could not be saved. */
  readonly warning: string | undefined;
};

/** Where the authority is stored, for which host, and what issues its certificate. */
export type AuthorityPlace = {
  readonly folder: string;
  readonly hostname: string;
  readonly nowMs: number;
  readonly issuer: Issuer;
};

type Files = { readonly keyFile: string; readonly certFile: string };
type KeyFound = { readonly key: KeyObject; readonly warning: string | undefined };

/** The authority on disk, created or renewed when needed. */
export async function currentAuthority(place: AuthorityPlace): Promise<Outcome<Authority>> {
  const { folder } = place;
  const files = { keyFile: join(folder, 'ca.key'), certFile: join(folder, 'ca.crt') };
  const certText = await readSmallFile(files.certFile);
  if (certText.state === 'failed') return failed(unreadable(certText.problem, files.certFile));
  const found = await currentKey(files, certText.state === 'present');
  if (!found.ok) return found;
  return currentCertificate(files, certText, found.value, place);
}

async function currentKey(files: Files, hadCertificate: boolean): Promise<Outcome<KeyFound>> {
  const text = await readSmallFile(files.keyFile);
  if (text.state === 'failed') return failed(unreadable(text.problem, files.keyFile));
  const key = text.state === 'present' ? parsePrivateKey(text.text) : undefined;
  if (key && isOurKindOfKey(key)) return { ok: true, value: { key, warning: undefined } };
  const lost = text.state === 'present' || hadCertificate;
  return replaceKey(files, text.state === 'present', lost ? lostWarning(files) : undefined);
}

async function replaceKey(
  files: Files,
  setAside: boolean,
  warning: string | undefined,
): Promise<Outcome<KeyFound>> {
  const key = newPrivateKey();
  if (setAside) await rename(files.keyFile, `${files.keyFile}.broken`).catch(() => undefined);
  const written = await writeFileAtomically(files.keyFile, privateKeyPem(key), 0o600);
  return written.ok ? { ok: true, value: { key, warning } } : failed(`${written.problem}. ${freeTheDisk}`);
}

async function currentCertificate(
  files: Files,
  text: FileText,
  { key, warning }: KeyFound,
  { hostname, nowMs, issuer }: AuthorityPlace,
): Promise<Outcome<Authority>> {
  const stored = certificateIn(text);
  const own = stored?.checkPrivateKey(key) ? stored : undefined;
  if (own && !reasonToRenewAuthority(describeCertificate(own, key, own), nowMs)) {
    return { ok: true, value: { key, certificate: own, warning } };
  }
  const made = await issuer.authority({ key, hostname, previous: own, nowMs });
  const written = await writeFileAtomically(files.certFile, made.toString(), 0o644);
  if (written.ok) {
    const reported = stored === own ? warning : (warning ?? otherKey(files));
    return { ok: true, value: { key, certificate: made, warning: reported } };
  }
  const problem = `${written.problem}. ${freeTheDisk}`;
  return own ? { ok: true, value: { key, certificate: own, warning: problem } } : failed(problem);
}

function unreadable(problem: string, file: string): string {
  return `Our certificate authority cannot be read: ${problem}. Let this user read ${file}, or move it away.`;
}

function lostWarning({ keyFile, certFile }: Files): string {
  return (
    `${keyFile} held no usable key of our certificate authority, so a new authority was made. ` +
    `Import ${certFile} again on the devices that trusted the old one.`
  );
}

function certificateIn(text: FileText): X509Certificate | undefined {
  return text.state === 'present' ? parseCertificates(text.text)?.[0] : undefined;
}

/** One of the two files is damaged or comes from elsewhere; it is unknown which one. */
function otherKey({ keyFile, certFile }: Files): string {
  return (
    `${certFile} did not belong to the key in ${keyFile}, so a new one was made with that key. ` +
    'Import it on devices that do not trust it.'
  );
}

const freeTheDisk = 'Free space on that disk and make the folder writable for this user.';
