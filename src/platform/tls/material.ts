// The types that the files of this folder share: the certificate for a TLS server (`TlsMaterial`), an
// expected failure as a value (`Outcome`), and a report for the log (`TlsReport`).

/** The input of `tls.createServer` and `server.setSecureContext`, and what the API shows about it. */
export type TlsMaterial = {
  readonly source: 'own' | 'user';
  /** The file that the leaf was read from. */
  readonly file: string;
  /** The private key of the leaf, as PEM. */
  readonly key: string;
  /** The leaf and the rest of the chain, as PEM. */
  readonly cert: string;
  /** The authority to import for trusting a self-issued certificate, as PEM; none for a configured one. */
  readonly caCert: string | undefined;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** SHA-256 of the leaf, as `AB:CD:…`. */
  readonly fingerprint256: string;
  /** DNS names and addresses of the leaf, addresses in canonical text. */
  readonly names: readonly string[];
};

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

/** Reported once per cause: a warning when the wanted certificate is served, an error when another one is. */
export type TlsReport = { readonly level: 'warning' | 'error'; readonly problem: string };

export const dayMs = 86_400_000;

export function failed(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem };
}
