// The words that the files of this folder share: what a TLS server is given (`TlsMaterial`), how an
// expected failure is handed back (`Outcome`), and what is told to the owner of the log (`TlsReport`).

/** What `tls.createServer` and `server.setSecureContext` take, and what the interface shows about it. */
export type TlsMaterial = {
  readonly source: 'own' | 'user';
  /** The file that the leaf was read from. */
  readonly file: string;
  /** The private key of the leaf, as PEM. */
  readonly key: string;
  /** The leaf and what follows it in the chain, as PEM. */
  readonly cert: string;
  /** The authority to import in order to trust our own certificate, as PEM; none for a user's certificate. */
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

/** Told once per cause: on a warning what was wished is served, on an error something else is. */
export type TlsReport = { readonly level: 'warning' | 'error'; readonly problem: string };

export const dayMs = 86_400_000;

export function failed(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem };
}

/** The text of whatever the platform threw, for the middle of a message. */
export function causeOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
