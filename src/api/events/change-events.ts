// What went through the door of changes, as events: settings with their values (secrets are masked at the
// door already), entities by id and name, because a reader who needs the rest asks for it.

import { type Changed, maskedAddress } from '#store/database';
import type { ChangedItem, ChangedSetting, Emit } from './event-hub.ts';
import { fitting } from './fitting.ts';

/** A value that is longer as JSON is not told: lists of thousands of records are settings, too. */
const valueLengthMax = 2_048;

export const tellChanges = (emit: Emit, changes: readonly Changed[], ofChange: number | undefined): void => {
  const version = ofChange ?? null;
  // A pause that has ended by itself is a report too, but what is in force has changed by it.
  const isFinding = ({ entity, isReport }: Changed): boolean => entity === 'list' && isReport === true;
  const reports = changes.filter(isFinding);
  const made = changes.filter((one) => !isFinding(one));
  const settings = made.filter(({ entity }) => entity === 'setting').map(settingOf);
  const apps = made.filter(({ entity }) => entity === 'app').map(itemOf);
  const policy = made.filter(({ entity }) => entity !== 'app' && entity !== 'setting').map(itemOf);
  if (settings.length > 0) emit('settings.changed', { version, ...fitting(settings) });
  if (apps.length > 0) emit('apps.changed', { version, ...fitting(apps) });
  if (policy.length > 0) emit('policy.changed', { version, ...fitting(policy) });
  if (reports.length > 0) emit('lists.reported', fitting(reports.map(({ key }) => Number(key))));
};

const settingOf = ({ key, before, after }: Changed): ChangedSetting => ({
  key,
  before: short(before),
  after: short(after),
});

const short = (value: unknown): unknown =>
  JSON.stringify(value).length > valueLengthMax ? '(too long to be told here)' : value;

const itemOf = ({ entity, key, before, after }: Changed): ChangedItem => ({
  entity,
  id: Number(key),
  name: nameOf(after ?? before),
  change: changeOf(before, after),
});

const changeOf = (before: unknown, after: unknown): ChangedItem['change'] => {
  if (after === null) return 'deleted';
  return before === null ? 'created' : 'changed';
};

const nameFields: ReadonlySet<string> = new Set(['name', 'domain', 'address', 'client']);

/** Each kind of entity has one of these fields, or, as a pause for a group, none. */
const nameOf = (item: unknown): string | null => {
  const fields = Object.entries(Object(item));
  const named = fields.find(([field, value]) => nameFields.has(field) && typeof value === 'string');
  if (named === undefined) return null;
  const [field, value] = named;
  return field === 'address' ? maskedAddress(String(value)) : String(value);
};
