// Handlers of the actions on the whole service: updating lists, flushing the cache, restarting. The parts do
// the work; the handlers build the replies.

import { fail } from '#contract';
import { prefersText } from '../http/accept.ts';
import type { Handlers } from '../http/handler.ts';
import { jsonParts, textParts, type LiveUpdate } from './live-update.ts';

/** The result of a restart; after a problem the old process continues. */
export type RestartOutcome = { readonly ok: true } | { readonly ok: false; readonly problem: string };

export interface ActionParts {
  /** Resolves when the new process serves requests, or has failed to start. */
  readonly restart: () => Promise<RestartOutcome>;
  /** Why the lists could not be read; undefined when they were. */
  readonly listsProblem: () => string | undefined;
  /** The update continues when the caller disconnects. */
  readonly updateLists: () => Promise<LiveUpdate>;
  /** Resolves when every dns worker has removed the name from its cache; without a name, everything. */
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
