// The options of the engine: plain data that can be sent from thread to thread. The settings fit it
// structurally; the engine does not know them.

import type { ClientOptions } from './clients/clients.ts';
import type { LocalOptions } from './local/local-names.ts';

export type BlockingMode = 'NULL' | 'IP_NODATA_AAAA' | 'IP' | 'NX' | 'NODATA' | 'REFUSED';

interface BlockingOptions {
  readonly mode: BlockingMode;
  /** Whether blocked answers carry an Extended DNS Error (RFC 8914), and whether with a text. */
  readonly edns: 'TEXT' | 'CODE' | 'NONE';
  readonly ttlSeconds: number;
  /** The address in answers of the IP modes; '': the address that the query was sent to. */
  readonly ipv4: string;
  readonly ipv6: string;
}

export interface CacheOptions {
  readonly minTtlSeconds: number;
  readonly maxTtlSeconds: number;
  /** How long an answer is served after its end: 0 for ever, negative never. */
  readonly staleSeconds: number;
  readonly prefetch: boolean;
}

interface RebindOptions {
  readonly active: boolean;
  /** Names that may have private addresses, with all that is below them. */
  readonly exempt: readonly string[];
}

export interface ChaosOptions {
  readonly version: string;
  /** Texts by name, for clients that look for the API over DNS. */
  readonly texts: Readonly<Record<string, readonly string[]>>;
}

export interface EngineOptions extends ClientOptions {
  readonly local: LocalOptions;
  readonly blocking: BlockingOptions;
  readonly cache: CacheOptions;
  readonly rebind: RebindOptions;
  readonly chaos: ChaosOptions;
}
