// The answer to a blocked name: by the form that its rule asks for, or else by the setting, with an Extended
// DNS Error that says so (RFC 8914, code 15) and perhaps why.

import type { AnswerForm, Reason, Verdict } from '#policy';
import { Ede, Rcode } from '#wire';
import type { QueryContext } from './query-context.ts';
import { ReplyKind } from '../cache/examine.ts';
import type { BlockingMode } from '../options.ts';
import { Origin } from '../record/layout.ts';
import type { EngineState } from '../state.ts';

const formOfMode: Readonly<Record<BlockingMode, AnswerForm>> = {
  NULL: { kind: 'null' },
  IP: { kind: 'ip' },
  IP_NODATA_AAAA: { kind: 'ipNodataAaaa' },
  NX: { kind: 'nx' },
  NODATA: { kind: 'nodata' },
  REFUSED: { kind: 'refused' },
};

/** An EDE text is a short hint for people. */
const maxTextBytes = 128;
/** Said behind the text where it is not the name itself that is blocked. */
const aliasWords = ' (CNAME)';
/** Texts of rules as bytes, made once; the policy hands out the same verdicts again and again. */
const texts = new WeakMap<Verdict, Uint8Array>();
const textsBehindAlias = new WeakMap<Verdict, Uint8Array>();

/** `query.verdict` is the verdict that blocks. */
export function answerBlocked(engine: EngineState, query: QueryContext, origin: number): number {
  const { composer, facts } = engine;
  const { mode, edns, ttlSeconds } = engine.compiled.options.blocking;
  const { verdict } = query;
  const form = verdict.form ?? formOfMode[mode];
  const ede = edns === 'NONE' ? -1 : Ede.blocked;
  const isBehindAlias = origin === Origin.blockedByTarget && facts.target !== undefined;
  const words = edns === 'TEXT' && query.view.hasEdns ? textOf(verdict, isBehindAlias) : undefined;
  const length = composer.form(query, form, ttlSeconds, ede, words, engine.compiled.blocked);
  facts.set(origin, rcodeOf(form), kindOf(form, composer.writer.answerCount));
  facts.ttlSeconds = ttlSeconds;
  facts.ede = ede;
  engine.recorder.record(query, facts, engine);
  return length;
}

/** For rules without a text of their own. */
const reasonTexts: Readonly<Record<Reason, string>> = {
  none: '',
  list: 'gravity',
  exact: 'denylist',
  regex: 'regex',
  special: 'special',
  setting: '',
};

function textOf(verdict: Verdict, isBehindAlias: boolean): Uint8Array | undefined {
  const text = verdict.text === '' ? reasonTexts[verdict.reason] : verdict.text;
  if (text === '') return undefined;
  const made = isBehindAlias ? textsBehindAlias : texts;
  const known = made.get(verdict);
  if (known !== undefined) return known;
  const bytes = cutText(text, isBehindAlias ? aliasWords : '');
  made.set(verdict, bytes);
  return bytes;
}

/** The end is never cut off. */
function cutText(text: string, end: string): Uint8Array {
  const words = cut(Buffer.from(text), maxTextBytes - end.length);
  return Uint8Array.from([...words, ...Buffer.from(end)]);
}

/** Not in the middle of a character. */
function cut(text: Uint8Array, maxBytes: number): Uint8Array {
  let end = Math.min(text.length, maxBytes);
  while (end < text.length && ((text[end] ?? 0) & 0xc0) === 0x80) end--;
  return text.slice(0, end);
}

/** Of an answer in this form. */
export function rcodeOf({ kind }: AnswerForm): number {
  if (kind === 'nx') return Rcode.nxDomain;
  return kind === 'refused' ? Rcode.refused : Rcode.noError;
}

/** Of an answer in this form that has so many records. */
export function kindOf({ kind }: AnswerForm, answerCount: number): number {
  if (kind === 'nx') return ReplyKind.nxDomain;
  if (kind === 'refused') return ReplyKind.refused;
  if (kind === 'drop') return ReplyKind.none;
  if (kind === 'cname') return ReplyKind.cname;
  return answerCount > 0 ? ReplyKind.address : ReplyKind.noData;
}
