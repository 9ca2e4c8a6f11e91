// The self-issued server certificate on disk: `server.key` and `server.crt`, issued by the service's own
// authority. Each renewal creates a new key. The two files are written one after the other, so a crash in
// between leaves a pair that does not match; the pair is compared whenever it is loaded, and a mismatch is a
// reason to issue a new one. A renewal that cannot be saved leaves the stored certificate in use as long as
// that is possible.

import type { KeyObject, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { type Authority, currentAuthority } from './authority.ts';
import { preparePrivateFolder, readSmallFile, writeFileAtomically } from './files.ts';
import { type Issuer, newPrivateKey } from './issue.ts';
import { failed, type Outcome, type TlsMaterial } from './material.ts';
import { describeCertificate, materialOf, parseCertificates, parsePrivateKey, privateKeyPem } from './pem.ts';
import { reasonToRenew, type RenewalReason, type StoredCertificate } from './renewal.ts';

export type SelfIssuedRequest = {
  readonly folder: string;
  readonly hostname: string;
  readonly names: readonly string[];
  readonly nowMs: number;
  readonly issuer: Issuer;
};

export type SelfIssuedCertificate = {
  readonly material: TlsMaterial;
  /** Why a new certificate was necessary; undefined when the stored one was good. */
  readonly reason: RenewalReason | undefined;
  readonly warning: string | undefined;
};

type Pair = { readonly key: KeyObject; readonly certificate: X509Certificate };
type Stored = { readonly state: StoredCertificate; readonly pair: Pair | undefined };

/** The certificate on disk, issued or renewed if necessary. */
export async function selfIssuedCertificate(
  request: SelfIssuedRequest,
): Promise<Outcome<SelfIssuedCertificate>> {
  const folder = await preparePrivateFolder(request.folder);
  if (!folder.ok) return folder;
  const authority = await currentAuthority(request);
  if (!authority.ok) return authority;
  const stored = await readStored(request.folder, authority.value);
  const reason = reasonToRenew(stored.state, request.names, request.nowMs);
  if (stored.pair && !reason) return served(request.folder, stored.pair, authority.value, reason);
  return renew(request, authority.value, stored, reason);
}

async function renew(
  request: SelfIssuedRequest,
  authority: Authority,
  stored: Stored,
  reason: RenewalReason | undefined,
): Promise<Outcome<SelfIssuedCertificate>> {
  const key = newPrivateKey();
  const { hostname, names, nowMs } = request;
  const certificate = await request.issuer.server({
    hostname,
    names,
    nowMs,
    key,
    authorityKey: authority.key,
    authority: authority.certificate,
  });
  const written = await writePair(request.folder, { key, certificate });
  if (written.ok) return served(request.folder, { key, certificate }, authority, reason);
  const problem = `${written.problem}. Free space on that disk and make the folder writable for this user.`;
  return stored.pair
    ? served(request.folder, stored.pair, { ...authority, warning: problem }, reason)
    : failed(problem);
}

async function writePair(folder: string, pair: Pair): Promise<Outcome<void>> {
  const key = await writeFileAtomically(join(folder, 'server.key'), privateKeyPem(pair.key), 0o600);
  return key.ok ? writeFileAtomically(certFileIn(folder), pair.certificate.toString(), 0o644) : key;
}

/** `pair` is set only when key and certificate belong together, so that it can be served. */
async function readStored(folder: string, authority: Authority): Promise<Stored> {
  const keyText = await readSmallFile(join(folder, 'server.key'));
  const certText = await readSmallFile(certFileIn(folder));
  if (keyText.state === 'absent' || certText.state === 'absent') return without('missing');
  if (keyText.state === 'failed' || certText.state === 'failed') return without('unreadable');
  const key = parsePrivateKey(keyText.text);
  const certificate = parseCertificates(certText.text)?.[0];
  if (!key || !certificate) return without('unreadable');
  const state = describeCertificate(certificate, key, authority.certificate);
  return { state, pair: certificate.checkPrivateKey(key) ? { key, certificate } : undefined };
}

function certFileIn(folder: string): string {
  return join(folder, 'server.crt');
}

function without(state: 'missing' | 'unreadable'): Stored {
  return { state: { state }, pair: undefined };
}

function served(
  folder: string,
  pair: Pair,
  authority: Authority,
  reason: RenewalReason | undefined,
): { ok: true; value: SelfIssuedCertificate } {
  const origin = { source: 'own', file: certFileIn(folder) } as const;
  const material = materialOf(origin, pair.certificate, pair.key, [authority.certificate]);
  return { ok: true, value: { material, reason, warning: authority.warning } };
}
