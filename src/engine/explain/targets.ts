// Where an answer leads, each name and address with what the rules say about it. The same order as in
// inspect.ts, which finds the one that decides; here all are listed, up to a limit.

import { precedence, type Policy } from '#policy';
import {
  Class,
  ipText,
  NAME_BUFFER_BYTES,
  nameToText,
  readName,
  RecordCursor,
  Section,
  SvcParamCursor,
  SvcParamKey,
  Type,
  typeText,
} from '#wire';
import type { Target } from './explained.ts';
import { judgeAddress, judgeName } from './judge.ts';

/** The rules are asked about each: what a worker does for an explanation has to have an end. */
export const maxTargets = 64;

export interface TargetJudge {
  readonly policy: Policy;
  readonly groups: number;
  readonly type: number;
}

export function targetsOf(message: Uint8Array, length: number, judge: TargetJudge): readonly Target[] {
  const cursor = new RecordCursor();
  const targets: Target[] = [];
  cursor.start(message, 0, length);
  while (targets.length < maxTargets && cursor.next() && cursor.section === Section.answer)
    if (cursor.class === Class.IN) targets.push(...targetsIn(cursor, judge));
  return targets.slice(0, maxTargets);
}

/** The one that stands in the earliest row, if that is before the row of the name; as in inspect.ts. */
export function decidingTarget(targets: readonly Target[], nameRank: number): Target | undefined {
  const [first] = targets
    .filter(({ verdict }) => verdict === 'block' || verdict === 'allow')
    .toSorted((one, other) => rankOf(one) - rankOf(other));
  return first !== undefined && rankOf(first) < nameRank ? first : undefined;
}

function rankOf({ row }: Target): number {
  return precedence.indexOf(row);
}

function targetsIn(cursor: RecordCursor, judge: TargetJudge): readonly Target[] {
  const { bytes, dataAt, dataLength, type } = cursor;
  switch (type) {
    case Type.CNAME:
      return nameTarget(cursor, dataAt, judge);
    case Type.A:
    case Type.AAAA: {
      const isAddress = dataLength === 4 || dataLength === 16;
      return isAddress ? [addressTarget(bytes.slice(dataAt, dataAt + dataLength), type, judge)] : [];
    }
    case Type.HTTPS:
    case Type.SVCB:
      return serviceTargets(cursor, judge);
    default:
      return [];
  }
}

function nameTarget(cursor: RecordCursor, at: number, judge: TargetJudge): readonly Target[] {
  const name = new Uint8Array(NAME_BUFFER_BYTES);
  const nameLength = readName(cursor.bytes, cursor.messageStart, at, cursor.messageEnd, name);
  return nameLength <= 1 ? [] : [targetNamed(name.slice(0, nameLength), cursor.type, judge)];
}

/** `via`: the type of the record that leads there. */
export function targetNamed(name: Uint8Array, via: number, { policy, type, groups }: TargetJudge): Target {
  const judged = judgeName(policy, name, type, groups, policy.budget.left);
  return { ...judged, kind: 'name', about: nameToText(name), via: typeText(via), decides: false };
}

function addressTarget(address: Uint8Array, type: number, { policy, groups }: TargetJudge): Target {
  const about = ipText(address);
  return {
    ...judgeAddress(policy, address, groups),
    kind: 'address',
    about,
    via: typeText(type),
    decides: false,
  };
}

function serviceTargets(cursor: RecordCursor, judge: TargetJudge): readonly Target[] {
  const { bytes, dataAt, dataLength, type } = cursor;
  const service = new SvcParamCursor();
  if (!service.start(bytes, dataAt, dataLength)) return [];
  const targets = [...nameTarget(cursor, service.targetAt, judge)];
  while (service.next() && targets.length < maxTargets) {
    const { key, valueAt, valueLength } = service;
    if (key !== SvcParamKey.ipv4hint && key !== SvcParamKey.ipv6hint) continue;
    const size = key === SvcParamKey.ipv4hint ? 4 : 16;
    for (let at = valueAt; at + size <= valueAt + valueLength && targets.length < maxTargets; at += size)
      targets.push(addressTarget(bytes.slice(at, at + size), type, judge));
  }
  return targets;
}
