// Emits the changes of the store as events: settings with their values (the store has already masked
// secrets), entities by id and name, because a reader that needs more requests the entity.

import { nameFields } from '#contract';
import type { Changed } from '#store/database';
import { maskedAddress } from '#store/database/entities';
import type { ChangedItem, ChangedSetting, Emit } from './event-hub.ts';
import { truncate } from './truncate.ts';

/** Values with longer JSON are left out: a setting may be a list of thousands of records. */
const maxValueLength = 2_048;

export function emitChanges(
  emit: Emit,
  changes: readonly Changed[],
  changeVersion: number | undefined,
): void {
  const version = changeVersion ?? null;
  // An expired pause is a report too, but it changes the policy.
  const isListReport = ({ entity, isReport }: Changed): boolean => entity === 'list' && isReport === true;
  const reports = changes.filter(isListReport);
  const made = changes.filter((one) => !isListReport(one));
  const settings = made.filter(({ entity }) => entity === 'setting').map(settingOf);
  const apps = made.filter(({ entity }) => entity === 'app').map(itemOf);
  const policy = made.filter(({ entity }) => entity !== 'app' && entity !== 'setting').map(itemOf);
  if (settings.length > 0) emit('settings.changed', { version, ...truncate(settings) });
  if (apps.length > 0) emit('apps.changed', { version, ...truncate(apps) });
  if (policy.length > 0) emit('policy.changed', { version, ...truncate(policy) });
  if (reports.length > 0) emit('lists.reported', truncate(reports.map(({ key }) => Number(key))));
}

function settingOf({ key, before, after }: Changed): ChangedSetting {
  return {
    key,
    before: short(before),
    after: short(after),
  };
}

function short(value: unknown): unknown {
  return JSON.stringify(value).length > maxValueLength ? '(too long for an event)' : value;
}

function itemOf({ entity, key, before, after }: Changed): ChangedItem {
  return {
    entity,
    id: Number(key),
    name: nameOf(after ?? before),
    change: changeOf(before, after),
  };
}

function changeOf(before: unknown, after: unknown): ChangedItem['change'] {
  if (after === null) return 'deleted';
  return before === null ? 'created' : 'changed';
}

/** Each entity has at most one of these fields; a pause of a group has none. */
function nameOf(item: unknown): string | null {
  const fields = Object.entries(Object(item));
  const named = fields.find(([field, value]) => nameFields.includes(field) && typeof value === 'string');
  if (named === undefined) return null;
  const [field, value] = named;
  return field === 'address' ? maskedAddress(String(value)) : String(value);
}
