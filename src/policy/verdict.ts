// The policy's verdict about a name: one of four kinds, the rule that decided, and how a block is answered.
// Verdicts are created once per rule and reused, because the path of a query must not allocate. Every verdict
// except `pass` names its rule: the reason is never guessed.

export type VerdictKind = 'pass' | 'allow' | 'block' | 'local';

/** The kind of rule that decided. Stored with the query. */
export type Reason = 'none' | 'list' | 'exact' | 'regex' | 'special' | 'setting';

/** How this service answers a name: the blocking modes, fixed addresses, or another name. */
export type AnswerForm =
  | { readonly kind: 'null' | 'nx' | 'nodata' | 'refused' | 'ip' | 'ipNodataAaaa' | 'drop' }
  | { readonly kind: 'addresses'; readonly ipv4: readonly Uint8Array[]; readonly ipv6: readonly Uint8Array[] }
  | { readonly kind: 'cname'; readonly target: Uint8Array };

/** After all rows of the precedence table. */
export const noRank = 8;

export interface Verdict {
  readonly kind: VerdictKind;
  readonly reason: Reason;
  /** The rule's row of the precedence table, from 0 on; `noRank` for a verdict outside the table. */
  readonly rank: number;
  /** The number of an own rule; 0 for a rule of a list, which is found there by the name. */
  readonly ruleId: number;
  /** The list that contains the rule; 0 for an own rule. */
  readonly listId: number;
  /** undefined: according to the setting dns.blocking.mode. */
  readonly form: AnswerForm | undefined;
  /** The text of the Extended DNS Error for the client, for example the name of the list. */
  readonly text: string;
}

export const pass: Verdict = {
  kind: 'pass',
  reason: 'none',
  rank: noRank,
  ruleId: 0,
  listId: 0,
  form: undefined,
  text: '',
};
