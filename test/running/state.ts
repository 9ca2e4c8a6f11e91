// The state of a service, to compare before and after invalid input: the service must have stored nothing,
// and the same process with the same threads must still answer.

import assert from 'node:assert/strict';

import type { Service } from './boot.ts';
import { at, listAt } from './reply.ts';

export type State = {
  readonly groups: unknown;
  readonly config: unknown;
  readonly pid: unknown;
  readonly restarts: readonly unknown[];
};

/** Read through the control socket, which no input from a network reaches. */
export const stateOf = async (service: Service): Promise<State> => {
  const via = 'control';
  const [groups, config, status] = await Promise.all([
    service.call('GET', '/api/groups', { via }),
    service.call('GET', '/api/config', { via }),
    service.call('GET', '/api/status', { via }),
  ]);
  return {
    groups: at(groups.body, 'groups'),
    config: at(config.body, 'config'),
    pid: at(status.body, 'status', 'pid'),
    restarts: listAt(status.body, 'status', 'threads').map((thread) => at(thread, 'restarts')),
  };
};

/** Nothing was stored, no thread has died, and every listener still answers. */
export const assertUnharmed = async (service: Service, before: State): Promise<void> => {
  assert.deepEqual(await stateOf(service), before);
  for (const via of ['http', 'https', 'h2', 'control'] as const) {
    assert.equal((await service.call('GET', '/api/health', { via })).status, 200, `health over ${via}`);
  }
};
