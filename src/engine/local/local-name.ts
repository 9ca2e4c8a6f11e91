// What we ourselves know about a name. Built once from the settings, handed out again and again.

type LocalKind =
  /** Records of the settings. */
  | 'records'
  /** A name of ours: answered with the address that was asked. */
  | 'own'
  /** Never sent out, and there is nothing. */
  | 'absent'
  /** The name exists, without records. */
  | 'empty'
  /** Not ours: an upstream is set for it (conditional forwarding). */
  | 'forward';

export interface LocalName {
  readonly kind: LocalKind;
  readonly ipv4: readonly Uint8Array[];
  readonly ipv6: readonly Uint8Array[];
  /** Names for a reverse lookup. */
  readonly pointers: readonly Uint8Array[];
  /** Another name that this one stands for; lower-cased wire bytes. */
  readonly target: Uint8Array | undefined;
  readonly ttlSeconds: number;
  /** Types that we do not keep (MX, TXT, …) are asked of upstreams; never for names that only home knows. */
  readonly asksOthers: boolean;
}

const nothing = {
  ipv4: [],
  ipv6: [],
  pointers: [],
  target: undefined,
  ttlSeconds: 0,
  asksOthers: false,
} as const;

export const absent: LocalName = { kind: 'absent', ...nothing };
export const empty: LocalName = { kind: 'empty', ...nothing };
export const forward: LocalName = { kind: 'forward', ...nothing };
/** To begin records with. */
export const noRecords: LocalName = { kind: 'records', ...nothing };
export const own: LocalName = { kind: 'own', ...nothing };
