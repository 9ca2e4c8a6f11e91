// Looks at where an answer leads: CNAME targets, the target and address hints of HTTPS and SVCB records, and
// addresses. A rule that speaks about one of them speaks about the answer. After the cache, so that a new
// rule holds for cached answers at once; what was found is remembered in the entry for (policy version,
// groups).

import { pass, type Policy, type Verdict } from '#policy';
import {
  Class,
  NAME_BUFFER_BYTES,
  readName,
  RecordCursor,
  Section,
  SvcParamCursor,
  SvcParamKey,
  Type,
} from '#wire';
import type { AnswerCache } from './cache/answer-cache.ts';
import { Entry, State } from './cache/entry.ts';
import { writeEntryMessage } from './cache/entry-message.ts';

const largestMessage = 65_535;
/** Verdicts that entries can point to; past that nothing is remembered until the policy changes. */
const rememberedMax = 65_535;

export class Inspector {
  readonly #message = new Uint8Array(largestMessage);
  readonly #name = new Uint8Array(NAME_BUFFER_BYTES);
  readonly #cursor = new RecordCursor();
  readonly #svcb = new SvcParamCursor();
  readonly #numbers = new Map<Verdict, number>();
  #verdicts: Verdict[] = [];
  #policy: Policy | undefined;
  #version = -1;
  /** Counts policies and their versions: what entries remember is for one of these. */
  #generation = 0;

  /** What the policy says about the targets of an entry; `pass` when it says nothing. */
  inspect(policy: Policy, cache: AnswerCache, place: number, type: number, groups: number): Verdict {
    const { words } = cache;
    if (((words[place + Entry.nameAndState] ?? 0) & State.hasTargets) === 0) return pass;
    if (policy !== this.#policy || policy.version !== this.#version) this.#follow(policy);
    const remembered = words[place + Entry.inspectedGroups] ?? 0;
    if (words[place + Entry.inspectedIn] === this.#generation && (remembered & 0xffff) === groups)
      return this.#verdicts[remembered >>> 16] ?? pass;
    const verdict = this.#walk(policy, cache, place, type, groups);
    this.#remember(words, place, groups, verdict);
    return verdict;
  }

  #follow(policy: Policy): void {
    this.#policy = policy;
    this.#version = policy.version;
    this.#generation++;
    this.#verdicts = [pass];
    this.#numbers.clear();
    this.#numbers.set(pass, 0);
  }

  #remember(words: Int32Array, place: number, groups: number, verdict: Verdict): void {
    let number = this.#numbers.get(verdict);
    if (number === undefined && this.#verdicts.length < rememberedMax) {
      number = this.#verdicts.push(verdict) - 1;
      this.#numbers.set(verdict, number);
    }
    if (number === undefined || groups > 0xffff) return;
    words[place + Entry.inspectedIn] = this.#generation;
    words[place + Entry.inspectedGroups] = groups | (number << 16);
  }

  /** To the end, so that nothing blocked hides behind much else; a message bounds its records. */
  #walk(policy: Policy, cache: AnswerCache, place: number, type: number, groups: number): Verdict {
    const length = writeEntryMessage(cache, place, this.#message);
    const cursor = this.#cursor;
    if (!cursor.start(this.#message, 0, length)) return pass;
    while (cursor.next() && cursor.section === Section.answer) {
      const verdict = cursor.class === Class.IN ? this.#lookAt(policy, length, type, groups) : pass;
      if (verdict.kind === 'block') return verdict;
      // An allowed target sets the whole chain free, as an allowed name does.
      if (verdict.kind === 'allow') return pass;
    }
    return pass;
  }

  #lookAt(policy: Policy, length: number, type: number, groups: number): Verdict {
    const { dataAt, dataLength } = this.#cursor;
    switch (this.#cursor.type) {
      case Type.CNAME:
        return this.#decideName(policy, dataAt, length, type, groups);
      case Type.A:
      case Type.AAAA:
        if (dataLength !== 4 && dataLength !== 16) return pass;
        return policy.decideAddress(this.#message, dataAt, dataLength, groups);
      case Type.HTTPS:
      case Type.SVCB:
        return this.#lookAtService(policy, length, type, groups);
      default:
        return pass;
    }
  }

  #decideName(policy: Policy, at: number, length: number, type: number, groups: number): Verdict {
    const nameLength = readName(this.#message, 0, at, length, this.#name);
    return nameLength <= 1 ? pass : policy.decide(this.#name, nameLength, type, groups);
  }

  #lookAtService(policy: Policy, length: number, type: number, groups: number): Verdict {
    const { dataAt, dataLength } = this.#cursor;
    const svcb = this.#svcb;
    if (!svcb.start(this.#message, dataAt, dataLength)) return pass;
    const target = this.#decideName(policy, svcb.targetAt, length, type, groups);
    if (target.kind !== 'pass') return target;
    while (svcb.next()) {
      const verdict = this.#lookAtHints(policy, groups);
      if (verdict.kind !== 'pass') return verdict;
    }
    return pass;
  }

  #lookAtHints(policy: Policy, groups: number): Verdict {
    const { key, valueAt, valueLength } = this.#svcb;
    if (key !== SvcParamKey.ipv4hint && key !== SvcParamKey.ipv6hint) return pass;
    const size = key === SvcParamKey.ipv4hint ? 4 : 16;
    for (let at = valueAt; at + size <= valueAt + valueLength; at += size) {
      const verdict = policy.decideAddress(this.#message, at, size, groups);
      if (verdict.kind !== 'pass') return verdict;
    }
    return pass;
  }
}
