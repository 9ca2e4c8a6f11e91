// What the policy says about a name: one of four kinds, the rule that spoke, and how a block is to be
// answered. Verdicts are made once per rule and handed out again and again, because the path of a query may
// not allocate. Every verdict but `pass` names its rule: "why" is never guessed.

export type VerdictKind = 'pass' | 'allow' | 'block' | 'local';

/** What kind of rule spoke. Stored with the query. */
export type Reason = 'none' | 'list' | 'exact' | 'regex' | 'special' | 'setting';

/** How a name is answered by us: the blocking modes, fixed addresses, or another name. */
export type AnswerForm =
  | { readonly kind: 'null' | 'nx' | 'nodata' | 'refused' | 'ip' | 'ipNodataAaaa' | 'drop' }
  | { readonly kind: 'addresses'; readonly ipv4: readonly Uint8Array[]; readonly ipv6: readonly Uint8Array[] }
  | { readonly kind: 'cname'; readonly target: Uint8Array };

/** Behind all rows of the precedence table. */
export const noRank = 8;

export interface Verdict {
  readonly kind: VerdictKind;
  readonly reason: Reason;
  /** The rule's row of the table of precedence, from 0 on; `noRank` for what stands in no row. */
  readonly rank: number;
  /** The number of a rule of the user's own; 0 for a rule of a list, which is found there by the name. */
  readonly ruleId: number;
  /** The list that the rule stands in; 0 for a rule of the user's own. */
  readonly listId: number;
  /** undefined: as the setting dns.blocking.mode says. */
  readonly form: AnswerForm | undefined;
  /** What an Extended DNS Error tells the client, for example the name of the list. */
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
