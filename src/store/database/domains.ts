// Domains and regular expressions of the user in the database, with the groups they belong to. One text may
// be stored once for each type and kind.

import { entities } from '#contract';
import { entityTable } from './entity-table.ts';
import { membershipFields, type MembershipFields } from './memberships.ts';
import type { DomainRow } from './schema.ts';

type DomainType = 'allow' | 'deny';
type DomainKind = 'exact' | 'regex';

export interface DomainFields extends MembershipFields {
  readonly comment: string | null;
  readonly enabled: boolean;
  /** Unix seconds. */
  readonly expires_at: number | null;
}

export interface DomainKey {
  readonly domain: string;
  readonly type: DomainType;
  readonly kind: DomainKind;
}

export interface StoredDomain extends DomainKey, DomainFields {
  readonly id: number;
  readonly date_added: number;
  readonly date_modified: number;
}

export const domainTable = entityTable<DomainRow, DomainKey, DomainFields, StoredDomain>({
  ...entities.domains,
  table: 'domains',
  columns: ['domain', 'type', 'kind', 'comment', 'enabled', 'expires_at'],
  memberships: 'domain_groups',
  fromRow: (row, memberships) => {
    const { groups, group_expiry } = membershipFields(memberships);
    return {
      domain: row.domain,
      // The table's check constraint allows these alone.
      type: row.type as DomainType,
      // The table's check constraint allows these alone.
      kind: row.kind as DomainKind,
      comment: row.comment,
      groups,
      enabled: row.enabled === 1,
      id: row.id,
      date_added: row.date_added,
      date_modified: row.date_modified,
      expires_at: row.expires_at,
      group_expiry,
    };
  },
});
