// Handlers of the blocking switch. The state is the setting dns.blocking.active; the time at which it turns
// back is kept beside it, so that a restart neither forgets the timer nor stretches it.

import { fail } from '#contract';
import { actorOf } from '../http/caller.ts';
import type { Handlers } from '../http/handler.ts';
import type { BlockingSwitch } from '../settings/blocking-switch.ts';

export const createBlockingHandlers = (
  blocking: BlockingSwitch,
): Pick<Handlers, 'getBlocking' | 'setBlocking'> => ({
  getBlocking: () => ({ status: 200, body: blocking.state() }),
  setBlocking: async ({ body, caller }) => {
    const seconds = body.timer ?? 0;
    const failure = await blocking.set(actorOf(caller), body.blocking, seconds > 0 ? seconds : undefined);
    if (failure === undefined) return { status: 200, body: blocking.state() };
    if (failure.failure === 'databaseAway' || failure.failure === 'tooManyRequests')
      return fail(failure.failure, failure.hint);
    return fail('settingPinned', failure.hint);
  },
});
