// Handlers of what can be done to the service as a whole. Others do it; here it becomes a reply.

import { fail } from '#contract';
import { prefersText } from '../http/accept.ts';
import type { Handlers } from '../http/handler.ts';
import { jsonParts, textParts, type LiveUpdate } from './live-update.ts';

/** The result of a restart; after a problem everything is as it was. */
export type RestartOutcome = { readonly ok: true } | { readonly ok: false; readonly problem: string };

export interface ActionParts {
  /** Resolves when another process serves, or when that has failed. */
  readonly restart: () => Promise<RestartOutcome>;
  /** Why the lists could not be read; nothing when they were. */
  readonly listsProblem: () => string | undefined;
  /** Goes on whatever becomes of the caller. */
  readonly updateLists: () => Promise<LiveUpdate>;
  /** Resolves when every dns worker has forgotten; without a name, all there is. */
  readonly flushCache: (name: string | undefined) => Promise<unknown>;
}

export function createActionHandlers(
  parts: ActionParts,
): Pick<Handlers, 'restartDns' | 'flushCache' | 'updateLists'> {
  return {
    updateLists: async ({ from }) => {
      const problem = parts.listsProblem();
      if (problem !== undefined) return fail('collectionUnreadable', problem);
      const update = await parts.updateLists();
      const accept = from().headers.find(({ name }) => name === 'accept')?.value;
      const live = prefersText(accept)
        ? ({ form: 'text', parts: textParts(update) } as const)
        : ({ form: 'json', parts: jsonParts(update) } as const);
      return { status: 200, live };
    },
    flushCache: async ({ body }) => {
      await parts.flushCache(body.name);
      return { status: 200, body: { status: 'success' } };
    },
    restartDns: async () => {
      const outcome = await parts.restart();
      if (!outcome.ok) return fail('restartFailed', outcome.problem);
      return { status: 200, body: { status: 'success' } };
    },
  };
}
