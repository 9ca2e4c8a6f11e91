// Looks at where an answer leads: CNAME targets, the target and address hints of HTTPS and SVCB records, and
// addresses. A rule that matches one of them applies to the answer; of several rules the one in the earliest
// row of the precedence table, and within a row the first that is found. After the cache, so that a new rule
// applies to cached answers at once. The finding is kept in the entry for (policy version, groups), with the
// name that it is about, for the history.

import { pass, type Policy, type Verdict } from '#policy';
import {
  Class,
  MAX_MESSAGE_BYTES,
  NAME_BUFFER_BYTES,
  readName,
  RecordCursor,
  Section,
  SvcParamCursor,
  SvcParamKey,
  Type,
} from '#wire';
import type { AnswerCache } from '../cache/answer-cache.ts';
import { Entry, State } from '../cache/entry.ts';
import { writeEntryMessage } from '../cache/entry-message.ts';

/** What was found in an entry. */
interface Finding {
  readonly verdict: Verdict;
  readonly target: Uint8Array | undefined;
}

const nothingFound: Finding = { verdict: pass, target: undefined };
/** Verdicts that entries can point to; past that nothing is remembered until the policy changes. */
const maxRemembered = 65_535;

export class Inspector {
  readonly #message = new Uint8Array(MAX_MESSAGE_BYTES);
  readonly #name = new Uint8Array(NAME_BUFFER_BYTES);
  readonly #cursor = new RecordCursor();
  readonly #svcb = new SvcParamCursor();
  readonly #numbers = new Map<Verdict, Map<string, number>>();
  #findings: Finding[] = [];
  #policy: Policy | undefined;
  #version = -1;
  /** Counts policies and their versions: what entries remember is for one of these. */
  #generation = 0;
  #best: Verdict = pass;
  /** The name that the last finding is about; undefined when it was an address. */
  target: Uint8Array | undefined;

  /**
   * What the policy says about the targets of an entry: block or allow; `pass` when it says nothing. They
   * have the steps that are left of the policy's budget.
   */
  inspect(policy: Policy, cache: AnswerCache, place: number, type: number, groups: number): Verdict {
    const { words } = cache;
    if (((words[place + Entry.nameAndState] ?? 0) & State.hasTargets) === 0) return pass;
    if (policy !== this.#policy || policy.version !== this.#version) this.#setPolicy(policy);
    const remembered = words[place + Entry.inspectedGroups] ?? 0;
    if (words[place + Entry.inspectedIn] === this.#generation && (remembered & 0xffff) === groups)
      return this.#recall(remembered >>> 16);
    this.#best = pass;
    this.target = undefined;
    const { cuts } = policy.budget;
    this.#walk(policy, cache, place, type, groups);
    // What was left unfinished is counted each time, and may be finished the next time.
    if (policy.budget.cuts === cuts) this.#remember(words, place, groups, this.#best);
    return this.#best;
  }

  #recall(number: number): Verdict {
    if (number === 0) return pass;
    const { verdict, target } = this.#findings[number] ?? nothingFound;
    this.target = target;
    return verdict;
  }

  #setPolicy(policy: Policy): void {
    this.#policy = policy;
    this.#version = policy.version;
    this.#generation++;
    this.#findings = [nothingFound];
    this.#numbers.clear();
  }

  #remember(words: Int32Array, place: number, groups: number, verdict: Verdict): void {
    const number = verdict === pass ? 0 : this.#numberOf(verdict);
    if (number === undefined || groups > 0xffff) return;
    words[place + Entry.inspectedIn] = this.#generation;
    words[place + Entry.inspectedGroups] = groups | (number << 16);
  }

  /** Of the verdict and the name that it is about; undefined when there is no room for it. */
  #numberOf(verdict: Verdict): number | undefined {
    const { target } = this;
    const key = target === undefined ? '' : Buffer.from(target).toString('latin1');
    const byTarget = this.#numbers.get(verdict) ?? new Map<string, number>();
    const known = byTarget.get(key);
    if (known !== undefined || this.#findings.length >= maxRemembered) return known;
    const number = this.#findings.push({ verdict, target }) - 1;
    this.#numbers.set(verdict, byTarget.set(key, number));
    return number;
  }

  /** To the end, so that no earlier row hides behind much else; a message bounds its records. */
  #walk(policy: Policy, cache: AnswerCache, place: number, type: number, groups: number): void {
    const length = writeEntryMessage(cache, place, this.#message);
    const cursor = this.#cursor;
    if (!cursor.start(this.#message, 0, length)) return;
    while (cursor.next() && cursor.section === Section.answer)
      if (cursor.class === Class.IN) this.#inspectTarget(policy, length, type, groups);
  }

  #inspectTarget(policy: Policy, length: number, type: number, groups: number): void {
    const { dataAt, dataLength } = this.#cursor;
    switch (this.#cursor.type) {
      case Type.CNAME:
        this.#judgeName(policy, dataAt, length, type, groups);
        break;
      case Type.A:
      case Type.AAAA:
        if (dataLength === 4 || dataLength === 16) this.#judgeAddress(policy, dataAt, dataLength, groups);
        break;
      case Type.HTTPS:
      case Type.SVCB:
        this.#inspectService(policy, length, type, groups);
        break;
      default:
    }
  }

  #inspectService(policy: Policy, length: number, type: number, groups: number): void {
    const { dataAt, dataLength } = this.#cursor;
    const svcb = this.#svcb;
    if (!svcb.start(this.#message, dataAt, dataLength)) return;
    this.#judgeName(policy, svcb.targetAt, length, type, groups);
    while (svcb.next()) this.#inspectHints(policy, groups);
  }

  #inspectHints(policy: Policy, groups: number): void {
    const { key, valueAt, valueLength } = this.#svcb;
    if (key !== SvcParamKey.ipv4hint && key !== SvcParamKey.ipv6hint) return;
    const size = key === SvcParamKey.ipv4hint ? 4 : 16;
    for (let at = valueAt; at + size <= valueAt + valueLength; at += size)
      this.#judgeAddress(policy, at, size, groups);
  }

  #judgeName(policy: Policy, at: number, length: number, type: number, groups: number): void {
    const nameLength = readName(this.#message, 0, at, length, this.#name);
    if (nameLength > 1) this.#consider(policy.decide(this.#name, nameLength, type, groups), nameLength);
  }

  #judgeAddress(policy: Policy, at: number, length: number, groups: number): void {
    this.#consider(policy.decideAddress(this.#message, at, length, groups), 0);
  }

  /** A rule that answers its own name with an alias says nothing about answers that lead there. */
  #consider(verdict: Verdict, nameLength: number): void {
    if (verdict.rank >= this.#best.rank || verdict.kind === 'local') return;
    this.#best = verdict;
    this.target = nameLength === 0 ? undefined : this.#name.slice(0, nameLength);
  }
}
