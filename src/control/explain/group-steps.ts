// The groups of the client, with their schedules, and whether blocking is on for it: switched off for
// everybody, or paused for a group of its own or for itself.

import { readClient } from '../clients/client-text.ts';
import { scheduleStateOf } from '../blocking/group-schedules.ts';
import type { Group, StoredPause } from '#store/database/entities';
import type { StepOf, ExplanationInput } from './explanation-input.ts';
import { rulesIn } from './rule-results.ts';

const defaultGroup = 0;

type GroupResult = StepOf<'groups'>['groups'][number];

/** It decides where rules do not count because a group of the client is not in force. */
export function groupsStep(told: ExplanationInput): StepOf<'groups'> {
  const groups = groupsOf(told);
  const isShort = groups.some(({ in_force }) => !in_force);
  const text = groupsText(groups, (id) => whyNot(told, id));
  return { step: 'groups', decides: isShort && isFreedBy(told, 'otherGroups'), text, groups };
}

/** No rule has a say, and one that blocks would have one but for this. */
function isFreedBy({ explained }: ExplanationInput, why: 'otherGroups' | 'blockingOff'): boolean {
  const met = rulesIn(explained).filter(({ action }) => action === 'block');
  return explained.decidedBy === 'nothing' && met.some(({ outcome }) => outcome === why);
}

/** Schedules are told beside the name. */
function whyNot(told: ExplanationInput, id: number): string {
  const { read, explained, nowSeconds } = told;
  const endsAt = read.clients.get(explained.client.configured)?.group_expiry[id];
  if (endsAt !== undefined && endsAt <= nowSeconds) return ' (its membership has ended)';
  const [group] = read.groups.filter((one) => one.id === id);
  return group?.enabled === false ? ' (disabled)' : '';
}

function groupsOf(told: ExplanationInput): GroupResult[] {
  const { explained, read, nowSeconds } = told;
  const member = memberOf(told);
  const inForce = explained.client.groups ?? member;
  return [...new Set([...inForce, ...member])].map((id) => {
    const [group] = read.groups.filter((one) => one.id === id);
    return {
      id,
      name: group?.name ?? null,
      in_force: inForce.includes(id) && group?.enabled !== false,
      schedule_state: group === undefined ? null : scheduleOf(group, nowSeconds),
    };
  });
}

/** The groups that the client is in, whether they count now or not. */
function memberOf({ explained, read }: ExplanationInput): readonly number[] {
  const { configured } = explained.client;
  return configured === '' ? [defaultGroup] : (read.clients.get(configured)?.groups ?? []);
}

function scheduleOf(group: Group, nowSeconds: number): GroupResult['schedule_state'] {
  if (group.schedules.length === 0) return null;
  const { isActive, nextChangeSeconds } = scheduleStateOf(group, nowSeconds);
  return { active: isActive, next_change: nextChangeSeconds ?? null };
}

function groupsText(groups: readonly GroupResult[], why: (id: number) => string): string {
  const inForce = groups.filter(({ in_force }) => in_force).map(nameOf);
  const others = groups.filter(({ in_force }) => !in_force).map((group) => nameOf(group) + why(group.id));
  const first =
    inForce.length === 0
      ? 'No group of it is in force, and so no rule.'
      : `Groups in force: ${inForce.join(', ')}.`;
  return others.length === 0 ? first : `${first} Not in force: ${others.join(', ')}.`;
}

const nameOf = ({ id, name, schedule_state }: GroupResult): string => {
  const windows =
    schedule_state === null ? '' : ` (${schedule_state.active ? 'inside' : 'outside'} its schedules)`;
  return `${name ?? `number ${id}`}${windows}`;
};

export function blockingStep(told: ExplanationInput): StepOf<'blocking'> {
  const { explained, blocking: everybody } = told;
  const pauses = pausesOf(told);
  const blocking = everybody.blocking && pauses.length === 0 && explained.client.isBlocking;
  const { blocking: switched_on, timer } = everybody;
  const text = blockingText(blocking, switched_on, pauses);
  const decides = !blocking && isFreedBy(told, 'blockingOff');
  return { step: 'blocking', decides, text, blocking, switched_on, timer, pauses };
}

function blockingText(isOn: boolean, isOnForAll: boolean, pauses: StepOf<'blocking'>['pauses']): string {
  if (isOn) return 'Blocking is on.';
  if (!isOnForAll) return 'Blocking is switched off for everybody.';
  const whose = pauses.map(({ group, client }) =>
    group === undefined ? `the client ${client}` : `the group ${group}`,
  );
  return `Blocking is paused for ${whose.join(' and ')}.`;
}

/** Those that hold for this client. */
function pausesOf(told: ExplanationInput): StepOf<'blocking'>['pauses'] {
  const groups = memberOf(told);
  return told.pauses.flatMap((pause): StepOf<'blocking'>['pauses'] => {
    const { group_id, client, until } = pause;
    if (group_id === null) return isFor(told, pause) ? [{ client: client ?? '', until }] : [];
    const [group] = told.read.groups.filter(({ id }) => id === group_id);
    return groups.includes(group_id) ? [{ group: group?.name ?? String(group_id), until }] : [];
  });
}

function isFor({ asked, explained: { client } }: ExplanationInput, { client: text }: StoredPause): boolean {
  const read = text === null ? undefined : readClient(text);
  if (read === undefined) return false;
  if ('words' in read) return isIn(asked.client, read.words, read.prefixBits);
  if (read.kind === 'mac') return client.mac === read.text;
  if (read.kind === 'interface') return client.interface === read.text.slice(1);
  const host = client.hostName?.toLowerCase().replace(/\.$/u, '');
  return host === read.text || host?.split('.', 1)[0] === read.text;
}

/** Eight times 16 bits; bits behind the prefix are 0 in the range. */
function isIn(address: string, range: readonly number[], prefixBits: number): boolean {
  const read = readClient(address);
  if (read === undefined || !('words' in read)) return false;
  return read.words.every((word, index) => {
    const bits = Math.min(16, Math.max(0, prefixBits - index * 16));
    const mask = (0xffff << (16 - bits)) & 0xffff;
    return (word & mask) === range[index];
  });
}
