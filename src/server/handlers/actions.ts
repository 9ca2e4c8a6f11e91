// Handlers of what can be done to the service as a whole.

import { fail } from '#contract';
import type { Handlers } from '../http/handler.ts';
import type { RestartOutcome } from '../threads/messages.ts';

/** `restart` resolves when another process serves, or when that has failed. */
export const createActionHandlers = (
  restart: () => Promise<RestartOutcome>,
): Pick<Handlers, 'restartDns'> => ({
  restartDns: async () => {
    const outcome = await restart();
    if (!outcome.ok) return fail('restartFailed', outcome.problem);
    return { status: 200, body: { status: 'success' } };
  },
});
