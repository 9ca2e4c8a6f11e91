// Our own server certificate on disk: `server.key` and `server.crt`, issued by our authority. Each renewal
// makes a new key. The two files are written one after the other, so a crash in between leaves a pair that
// does not match; the pair is compared whenever it is loaded, and a mismatch is one of the reasons to make
// a new one. A renewal that cannot be saved leaves the stored certificate serving as long as it can be used
// at all.

import type { KeyObject, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { type Authority, currentAuthority } from './authority.ts';
import { preparePrivateFolder, readSmallFile, writeFileAtomically } from './files.ts';
import { type Issuer, newPrivateKey } from './issue.ts';
import { failed, type Outcome, type TlsMaterial } from './material.ts';
import { describeCertificate, materialOf, parseCertificates, parsePrivateKey, privateKeyPem } from './pem.ts';
import { reasonToRenew, type RenewalReason, type StoredCertificate } from './renewal.ts';

export type OwnRequest = {
  readonly folder: string;
  readonly hostname: string;
  readonly names: readonly string[];
  readonly nowMs: number;
  readonly issuer: Issuer;
};

export type OwnCertificate = {
  readonly material: TlsMaterial;
  /** Why a new certificate was due; undefined when the stored one was good. */
  readonly reason: RenewalReason | undefined;
  readonly warning: string | undefined;
};

type Pair = { readonly key: KeyObject; readonly certificate: X509Certificate };
type Stored = { readonly state: StoredCertificate; readonly pair: Pair | undefined };

/** The certificate on disk, made or renewed when there is a reason to. */
export async function ownCertificate(request: OwnRequest): Promise<Outcome<OwnCertificate>> {
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
  request: OwnRequest,
  authority: Authority,
  stored: Stored,
  reason: RenewalReason | undefined,
): Promise<Outcome<OwnCertificate>> {
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

/** `pair` is there only when key and certificate belong together, that is when it could be served. */
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
): { ok: true; value: OwnCertificate } {
  const origin = { source: 'own', file: certFileIn(folder) } as const;
  const material = materialOf(origin, pair.certificate, pair.key, [authority.certificate]);
  return { ok: true, value: { material, reason, warning: authority.warning } };
}
