// The steps for the groups of the client, with their schedules, and for blocking: whether it is on, off for
// all clients, or paused for the client or one of its groups.

import { readClient } from '../clients/client-text.ts';
import { howToProtect } from '../clients/unprotected-clients.ts';
import { scheduleStateOf } from '../blocking/group-schedules.ts';
import type { Group, StoredPause } from '#store/database/entities';
import type { StepOf, ExplanationInput } from './explanation-input.ts';
import { rulesIn } from './rule-results.ts';

const defaultGroup = 0;

type GroupResult = StepOf<'groups'>['groups'][number];

/** Decides when a rule would block but for a group of the client that is missing or not in force. */
export function groupsStep(input: ExplanationInput): StepOf<'groups'> {
  const groups = groupsOf(input);
  const isShort = groups.length === 0 || groups.some(({ in_force }) => !in_force);
  const text = groups.length === 0 ? inNoGroup(input) : groupsText(groups, (id) => whyNot(input, id));
  const decides = isShort && isFreedBy(input, 'otherGroups');
  return { step: 'groups', decides, text: `${text}${withoutLists(input, groups)}`, groups };
}

function inNoGroup({ explained, read }: ExplanationInput): string {
  const how = howToProtect(explained.client.configured, read.groups.withId(defaultGroup));
  return `It is in no group, so no rule and no list applies to it. For example: ${how}.`;
}

/** A client that was moved out of the default group is easily without any list. */
function withoutLists({ read }: ExplanationInput, groups: readonly GroupResult[]): string {
  const inForce = groups.filter(({ in_force }) => in_force).map(({ id }) => id);
  const lists = read.lists.filter(({ enabled, type }) => enabled && type === 'block');
  const isWithout = !lists.some((list) => list.groups.some((id) => inForce.includes(id)));
  return inForce.length > 0 && lists.length > 0 && isWithout
    ? ' No list is for these groups, so no list blocks anything for it.'
    : '';
}

/** No rule decides, but a rule would block if it were not for this reason. */
function isFreedBy({ explained }: ExplanationInput, why: 'otherGroups' | 'blockingOff'): boolean {
  const met = rulesIn(explained).filter(({ action }) => action === 'block');
  return explained.decidedBy === 'nothing' && met.some(({ outcome }) => outcome === why);
}

/** Schedules are not mentioned here, because `nameOf` shows them. */
function whyNot(input: ExplanationInput, id: number): string {
  const { read, explained, nowSeconds } = input;
  const endsAt = read.clients.get(explained.client.configured)?.group_expiry[id];
  if (endsAt !== undefined && endsAt <= nowSeconds) return ' (its membership has ended)';
  const [group] = read.groups.filter((one) => one.id === id);
  return group?.enabled === false ? ' (disabled)' : '';
}

function groupsOf(input: ExplanationInput): GroupResult[] {
  const { explained, read, nowSeconds } = input;
  const member = memberOf(input);
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

/** The groups of the client, in force or not. */
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
      ? 'None of its groups is in force, so no rule applies.'
      : `Groups in force: ${inForce.join(', ')}.`;
  return others.length === 0 ? first : `${first} Not in force: ${others.join(', ')}.`;
}

function nameOf({ id, name, schedule_state }: GroupResult): string {
  const windows =
    schedule_state === null ? '' : ` (${schedule_state.active ? 'inside' : 'outside'} its schedules)`;
  return `${name ?? `number ${id}`}${windows}`;
}

export function blockingStep(input: ExplanationInput): StepOf<'blocking'> {
  const { explained, blocking: forAll } = input;
  const pauses = pausesOf(input);
  const blocking = forAll.blocking && pauses.length === 0 && explained.client.isBlocking;
  const { blocking: switched_on, timer } = forAll;
  const text = blockingText(blocking, switched_on, pauses);
  const decides = !blocking && isFreedBy(input, 'blockingOff');
  return { step: 'blocking', decides, text, blocking, switched_on, timer, pauses };
}

function blockingText(isOn: boolean, isOnForAll: boolean, pauses: StepOf<'blocking'>['pauses']): string {
  if (isOn) return 'Blocking is on.';
  if (!isOnForAll) return 'Blocking is off for all clients.';
  const whose = pauses.map(({ group, client }) =>
    group === undefined ? `the client ${client}` : `the group ${group}`,
  );
  return `Blocking is paused for ${whose.join(' and ')}.`;
}

/** The pauses of this client and its groups. */
function pausesOf(input: ExplanationInput): StepOf<'blocking'>['pauses'] {
  const groups = memberOf(input);
  return input.pauses.flatMap((pause): StepOf<'blocking'>['pauses'] => {
    const { group_id, client, until } = pause;
    if (group_id === null) return isFor(input, pause) ? [{ client: client ?? '', until }] : [];
    const [group] = input.read.groups.filter(({ id }) => id === group_id);
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

/** `range`: eight words of 16 bits; bits after the prefix are 0. */
function isIn(address: string, range: readonly number[], prefixBits: number): boolean {
  const read = readClient(address);
  if (read === undefined || !('words' in read)) return false;
  return read.words.every((word, index) => {
    const bits = Math.min(16, Math.max(0, prefixBits - index * 16));
    const mask = (0xffff << (16 - bits)) & 0xffff;
    return (word & mask) === range[index];
  });
}
