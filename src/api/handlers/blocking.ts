// Handlers of the blocking switch. For all clients the state is the setting dns.blocking.active, and the time
// at which it switches back is stored beside it, so that a restart neither loses nor extends the timer. For a
// group or a client it is a pause. The reply is sent when the dns workers apply the change.

import { fail, type Failure, type ReplyBody } from '#contract';
import { readClient } from '#control/clients';
import { actorOf } from '../auth/caller.ts';
import type { Handlers, Request } from '../http/handler.ts';
import { type BlockingState, type BlockingSwitch, pausedGroups, type Pauses } from '#control/blocking';
import type { ReadModel } from '#store/database';
import type { PauseOf, StoredPause } from '#store/database/entities';
import { hasBlanks } from './entries.ts';

interface Parts {
  readonly blocking: BlockingSwitch;
  readonly pauses: Pauses;
  readonly read: Pick<ReadModel, 'groups'>;
  readonly dns: InForce;
}

/** What the dns workers do. */
interface InForce {
  /** Resolves when the dns workers apply all changes, including expired timers. */
  readonly upToDate: () => Promise<void>;
  /** Whether every dns worker blocks. */
  readonly isBlocking: boolean;
}

type Sent = Request<'setBlocking'>['body'];
type State = ReplyBody<'getBlocking', 200>;

export function createBlockingHandlers(parts: Parts): Pick<Handlers, 'getBlocking' | 'setBlocking'> {
  return {
    getBlocking: async () => {
      await parts.dns.upToDate();
      return { status: 200, body: stateOf(parts) };
    },
    setBlocking: async (request) => {
      const failure =
        request.body.group === undefined && request.body.client === undefined
          ? await switchAll(parts, request)
          : await pauseGroupOrClient(parts, request);
      if (failure !== undefined) return failure;
      await parts.dns.upToDate();
      return { status: 200, body: stateOf(parts) };
    },
  };
}

async function switchAll({ blocking }: Parts, { body, caller }: Request<'setBlocking'>) {
  const failure = await blocking.set(actorOf(caller), body.blocking, secondsOf(body));
  if (failure === undefined) return undefined;
  if (failure.failure === 'databaseAway' || failure.failure === 'tooManyRequests')
    return fail(failure.failure, failure.hint);
  return fail('settingPinned', failure.hint);
}

async function pauseGroupOrClient({ pauses, read }: Parts, { body, caller }: Request<'setBlocking'>) {
  const target = pauseTarget(read, body);
  if ('failure' in target) return target;
  const seconds = secondsOf(body);
  if (!body.blocking) return pauses.begin(actorOf(caller), target, seconds);
  if (seconds === undefined) return pauses.end(actorOf(caller), target);
  return fail('invalidPause', '`blocking: true` ends the pause at once: leave the timer out.');
}

type WrongTarget = Failure<'invalidPause' | 'unknownGroup' | 'blanks' | 'invalidClient'>;

function pauseTarget({ groups }: Parts['read'], sent: Sent): PauseOf | WrongTarget {
  const [group, client] = [sent.group ?? undefined, sent.client ?? undefined];
  if (group !== undefined && client !== undefined)
    return fail('invalidPause', 'Name a group or a client, not both: send two requests for two pauses.');
  if (client !== undefined) return clientOf(client);
  // `group: null` and `client: null` are an error: they must not switch off blocking for all clients.
  if (group === undefined)
    return fail('invalidPause', 'Name a group or a client, or leave both out to switch for all clients.');
  const found = typeof group === 'string' ? groups.get(group) : groups.filter(({ id }) => id === group)[0];
  return found === undefined
    ? fail('unknownGroup', `There is no group ${JSON.stringify(group)}; GET /api/groups lists all.`)
    : { group_id: found.id };
}

function clientOf(text: string): PauseOf | WrongTarget {
  if (hasBlanks(text)) return fail('blanks', text);
  const read = readClient(text);
  return read === undefined
    ? fail('invalidClient', `${text} is no address, range, MAC address, host name or :interface.`)
    : { client: read.text };
}

function secondsOf({ timer }: Sent): number | undefined {
  const seconds = timer ?? 0;
  return seconds > 0 ? seconds : undefined;
}

/** The state of the dns workers. While they do not apply the wanted state yet, the timer is 0. */
export function blockingInForce(
  blocking: Pick<BlockingSwitch, 'state'>,
  dns: Pick<InForce, 'isBlocking'>,
): BlockingState {
  const wanted = blocking.state();
  const { isBlocking } = dns;
  return wanted.blocking === isBlocking ? wanted : { blocking: isBlocking, timer: 0 };
}

function stateOf({ blocking, pauses, read, dns }: Parts): State {
  const inForce = pauses.inForce();
  const paused = pausedGroups(inForce);
  const groups = paused.size === 0 ? [] : read.groups.filter(({ id }) => paused.has(id));
  const names = new Map(groups.map(({ id, name }) => [id, name]));
  return { ...blockingInForce(blocking, dns), pauses: inForce.map((pause) => presentPause(pause, names)) };
}

function presentPause(
  { group_id, client, until }: StoredPause,
  groupNames: ReadonlyMap<number, string>,
): State['pauses'][number] {
  return group_id === null
    ? { client: client ?? '', until }
    : { group: groupNames.get(group_id) ?? '', until };
}
