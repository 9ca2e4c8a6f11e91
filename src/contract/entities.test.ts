import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TObject } from 'typebox';
import { endpoints } from './api/table.ts';
import { entities } from './entities.ts';

/** What a PUT of each kind may contain besides its fields. */
const alsoInPut: Readonly<Record<keyof typeof entities, readonly string[]>> = {
  groups: ['name'],
  domains: ['type', 'kind'],
  lists: [],
  clients: [],
};
const puts: Readonly<Record<keyof typeof entities, { readonly path: string; readonly body: TObject }>> = {
  groups: endpoints.putGroup,
  domains: endpoints.putDomain,
  lists: endpoints.putList,
  clients: endpoints.putClient,
};

describe('the table of entities', () => {
  for (const [name, row] of Object.entries(entities)) {
    // The rows and these tables have the same names.
    const kind = name as keyof typeof entities;

    it(`has the path and the fields of the endpoints of ${name}`, () => {
      assert.ok(puts[kind].path.startsWith(`${row.path}/{`));
      const sent = Object.keys(puts[kind].body.properties);
      assert.deepEqual(sent.toSorted(), [...Object.keys(row.fields), ...alsoInPut[kind]].toSorted());
    });

    it(`names ${name} by a field of their key`, () => {
      const keys: readonly string[] = row.key;
      assert.ok(keys.includes(row.name));
    });
  }
});
