// The result of an explanation: plain data that can be sent from thread to thread. One field for each step of
// answer.ts, in its order; undefined: the step was not reached, because an earlier one had decided.

import type {
  Because,
  ClientTraits,
  OutcomeName,
  PrecedenceRow,
  RuleAction,
  RuleReach,
  VerdictKind,
} from '#policy';
import type { ForwardFailure } from '../upstream/forwarding.ts';
import type { UpstreamChoice } from '../upstream/status.ts';

/** The question that is explained. */
export interface Inquiry {
  /** Lower-cased wire bytes with the root label. */
  readonly name: Uint8Array;
  readonly type: number;
  /** Who would ask: 16 bytes, IPv4 as ::ffff:a.b.c.d. */
  readonly client: Uint8Array;
  /** In place of what the network says of the address, for a client that is known by one of these. */
  readonly traits?: ClientTraits | undefined;
}

/** A rule that was met, and what became of it. */
export interface MetRule {
  readonly row: PrecedenceRow;
  readonly outcome: OutcomeName;
  readonly isWinner: boolean;
  readonly action: RuleAction;
  readonly isImportant: boolean;
  readonly kind: 'name' | 'pattern' | 'address';
  readonly reach: RuleReach;
  /** The name that the rule is about, the text of its pattern, or the range of addresses. */
  readonly about: string;
  /** 0 for a rule of the user's own, as `ruleId` is for a rule of a list. */
  readonly listId: number;
  readonly ruleId: number;
  /** Of patterns of lists; 0 where it is to be looked up in the list. */
  readonly line: number;
}

/** What the rules say about one name or address. */
export interface Judged {
  readonly verdict: VerdictKind;
  readonly row: PrecedenceRow;
  readonly because: Because | undefined;
  /** The winner first; of very many the first ones. */
  readonly rules: readonly MetRule[];
}

/** By what a configured client was found. */
export type FoundBy = 'address' | 'mac' | 'hostName' | 'range' | 'interface' | 'nothing';

export interface ExplainedClient extends ClientTraits {
  readonly isAnswered: boolean;
  /** As it is configured; '' for one that is not. */
  readonly configured: string;
  readonly foundBy: FoundBy;
  /** Undefined when there are no rules at all: then clients are not looked up. */
  readonly groups: readonly number[] | undefined;
  /** False: rules that block are skipped for this client. */
  readonly isBlocking: boolean;
}

export interface ExplainedLocal {
  readonly kind: 'records' | 'own' | 'absent' | 'empty' | 'forward' | 'any';
  /** Names that aliases of our own lead to, one after the other. */
  readonly aliases: readonly string[];
  /** Nothing else is looked at. */
  readonly isAnswer: boolean;
}

export interface ExplainedCache {
  readonly state: 'none' | 'fresh' | 'stale' | 'gone';
  /** What is left of its time; negative when it is over. */
  readonly ttlSeconds: number;
  readonly ageSeconds: number;
  readonly isFailure: boolean;
  /** Who gave it; '' when that is not known. */
  readonly upstream: string;
}

export interface ExplainedUpstream extends UpstreamChoice {
  /** Undefined: no upstream was asked. */
  readonly outcome: 'answered' | ForwardFailure | undefined;
  readonly answeredBy: string;
}

/** A name or an address that the answer leads to. */
export interface Target extends Judged {
  readonly kind: 'name' | 'address';
  readonly about: string;
  /** The type of the record that leads there. */
  readonly via: string;
  /** It has the last word about the answer. */
  readonly decides: boolean;
}

/** The answer as the client would get it. */
export interface ExplainedAnswer {
  /** False: the query is dropped, and the rest means nothing. */
  readonly isSent: boolean;
  readonly rcode: number;
  /** As in a zone file; of very many the first ones. */
  readonly records: readonly string[];
  readonly recordCount: number;
  /** The upstream says that it blocks the name. */
  readonly isBlockedThere: boolean;
  /** Private addresses were taken out of it. */
  readonly hidesPrivate: boolean;
}

/** The step that has decided, whether the answer is known or not; `nothing`: no rule has a say in it. */
export type DecidedBy = 'client' | 'local' | 'rules' | 'special' | 'targets' | 'nothing';

export interface Explained {
  readonly decidedBy: DecidedBy;
  readonly client: ExplainedClient;
  readonly local: ExplainedLocal | undefined;
  readonly rules: Judged | undefined;
  readonly isSpecial: boolean | undefined;
  readonly cache: ExplainedCache | undefined;
  readonly upstream: ExplainedUpstream | undefined;
  readonly targets: readonly Target[];
  /** Undefined when it is not known what others would say. */
  readonly answer: ExplainedAnswer | undefined;
}
