// Which endpoints need more than a session: a short list, which decision 9 defines.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endpoints } from './table.ts';

describe('an application password without sudo', () => {
  it('may not change credentials and settings, undo, delete the history or restart', () => {
    const refused = Object.values(endpoints)
      .filter(({ access }) => access === 'sudo')
      .map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(refused.toSorted(), [
      'DELETE /api/auth/app/{id}',
      'DELETE /api/auth/totp',
      'DELETE /api/config/{element...}',
      'PATCH /api/config',
      'POST /api/action/flush/logs',
      'POST /api/action/restartdns',
      'POST /api/auth/app',
      'POST /api/auth/totp',
      'POST /api/revisions/{version}:undo',
      'PUT /api/auth/totp',
      'PUT /api/config/{element...}',
    ]);
  });
});
