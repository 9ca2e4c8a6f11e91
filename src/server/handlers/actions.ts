// Handlers of what can be done to the service as a whole. Others do it; here it becomes a reply.

import { fail, type ReplyBody } from '#contract';
import type { Handlers } from '../http/handler.ts';
import type { RestartOutcome } from '../threads/messages.ts';

type UpdatedLists = ReplyBody<'updateLists', 200>['result'];

export interface ActionParts {
  /** Resolves when another process serves, or when that has failed. */
  readonly restart: () => Promise<RestartOutcome>;
  /** Goes on whatever becomes of the caller. */
  readonly updateLists: (onProgress: (text: string) => void) => Promise<UpdatedLists>;
  /** Resolves when every dns worker has forgotten; without a name, all there is. */
  readonly flushCache: (name: string | undefined) => Promise<unknown>;
}

export const createActionHandlers = ({
  restart,
  flushCache,
  updateLists,
}: ActionParts): Pick<Handlers, 'restartDns' | 'flushCache' | 'updateLists'> => ({
  updateLists: async () => {
    const progress: string[] = [];
    const result = await updateLists((text) => progress.push(text));
    return { status: 200, body: { progress, result } };
  },
  flushCache: async ({ body }) => {
    await flushCache(body.name);
    return { status: 200, body: { status: 'success' } };
  },
  restartDns: async () => {
    const outcome = await restart();
    if (!outcome.ok) return fail('restartFailed', outcome.problem);
    return { status: 200, body: { status: 'success' } };
  },
});
