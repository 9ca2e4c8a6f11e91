import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nameFromText } from '#wire';
import { readClient } from '../clients/client-text.ts';
import type { Schedule } from '#store';
import type { Group, StoredClient, StoredDomain, StoredPause } from '#store/database/entities';
import { buildPolicyPlan, ruleTexts, type PolicyInput } from './policy-plan.ts';
import { WorkerPolicy } from './worker-policy.ts';

const dates = { date_added: 0, date_modified: 0 };
/** A Sunday. */
const nowSeconds = Date.parse('2026-11-15T09:00Z') / 1000;
const typeA = 1;

function rule(id: number, domain: string, groupId: number, type: 'deny' | 'allow' = 'deny'): StoredDomain {
  return {
    id,
    domain,
    type,
    kind: 'exact',
    comment: null,
    enabled: true,
    groups: [groupId],
    expires_at: null,
    group_expiry: {},
    ...dates,
  };
}

function group(id: number, more: Partial<Group> = {}): Group {
  return {
    id,
    name: String(id),
    comment: null,
    enabled: true,
    schedules: [],
    privacy: 0,
    ...dates,
    ...more,
  };
}

function client(id: number, text: string, groups: readonly number[], expiry = {}): StoredClient {
  return {
    id,
    client: text,
    comment: null,
    groups,
    group_expiry: expiry,
    ...dates,
  };
}

function pause(of: number | string, until: number | null = null): StoredPause {
  return {
    id: 1,
    group_id: typeof of === 'number' ? of : null,
    client: typeof of === 'string' ? of : null,
    until,
  };
}

const base: PolicyInput = {
  domains: [
    rule(1, 'zero.example', 0),
    rule(2, 'one.example', 1),
    rule(3, 'two.example', 2),
    rule(4, 'fine.example', 0, 'allow'),
  ],
  lists: [],
  groups: [group(0), group(1), group(2)],
  clients: [
    client(1, '192.168.1.0/24', [1]),
    client(2, '192.168.1.5', [1, 2]),
    client(3, 'aa:bb:cc:dd:ee:ff', [2]),
    client(4, '192.168.1.9', [1, 2], { '2': nowSeconds }),
  ],
  pauses: [],
  isBlocking: true,
  nowSeconds,
};

/** The ids of the rules that apply to a client; allow rules have a plus sign. */
async function blockedFor(input: Partial<PolicyInput>, address: string, mac?: string): Promise<string> {
  const plan = buildPolicyPlan({ ...base, ...input });
  const worker = new WorkerPolicy((text) => assert.fail(text));
  const policy = await worker.compile(plan, ruleTexts(plan.rules), undefined);
  const read = readClient(address);
  const words = read !== undefined && 'words' in read ? read.words : [];
  const bytes = Uint8Array.from(words.flatMap((word) => [word >> 8, word & 0xff]));
  const groups = policy.groupsOf({ address: bytes, name: undefined, mac });
  const names = ['zero.example', 'one.example', 'two.example', 'fine.example'];
  return names
    .map((name) => {
      const wire = nameFromText(name) ?? assert.fail(name);
      const { kind, ruleId } = policy.decide(wire, wire.length, typeA, groups);
      return kind === 'pass' ? '' : `${kind === 'allow' ? '+' : ''}${ruleId}`;
    })
    .filter((text) => text !== '')
    .join(' ');
}

const [inRange, tablet, mac] = ['192.168.1.7', '192.168.1.5', 'aa:bb:cc:dd:ee:ff'];
const [unconfigured, wasMember] = ['10.0.0.1', '192.168.1.9'];

describe('a pause applies to', () => {
  type Row = readonly [
    what: string,
    pauses: readonly StoredPause[],
    blocked: Readonly<Record<string, string>>,
  ];
  const rows: readonly Row[] = [
    [
      'no client, when there is none',
      [],
      { [unconfigured]: '1 +4', [inRange]: '2', [tablet]: '2 3', [wasMember]: '2' },
    ],
    ['a client by its address', [pause(tablet)], { [tablet]: '', [inRange]: '2', [unconfigured]: '1 +4' }],
    ['an address within a configured range', [pause(inRange)], { [inRange]: '', [tablet]: '2 3' }],
    ['an unconfigured address', [pause(unconfigured)], { [unconfigured]: '+4', '10.0.0.2': '1 +4' }],
    [
      'all clients in a range',
      [pause('192.168.1.0/28')],
      { [inRange]: '', [tablet]: '', [unconfigured]: '1 +4' },
    ],
    [
      'the clients of a group',
      [pause(2)],
      { [tablet]: '', [inRange]: '2', [wasMember]: '2', [unconfigured]: '1 +4' },
    ],
    [
      'unconfigured clients, when the default group is paused',
      [pause(0)],
      { [unconfigured]: '+4', [tablet]: '2 3' },
    ],
    ['no client after its end', [pause(tablet, nowSeconds)], { [tablet]: '2 3' }],
    ['its client until its end', [pause(tablet, nowSeconds + 1)], { [tablet]: '' }],
  ];
  for (const [what, pauses, blocked] of rows)
    it(what, async () => {
      for (const [address, rules] of Object.entries(blocked))
        assert.equal(await blockedFor({ pauses }, address), rules, address);
    });

  it('a MAC address at any IP address, and to no other client', async () => {
    assert.equal(await blockedFor({}, '10.0.0.9', mac), '3');
    assert.equal(await blockedFor({ pauses: [pause(mac)] }, '10.0.0.9', mac), '');
    assert.equal(await blockedFor({ pauses: [pause(mac)] }, '10.0.0.9'), '1 +4');
  });

  it('an address without changing the groups that the client has by its MAC address', async () => {
    const groups = [group(0), group(1), group(2)];
    const domains = [...base.domains, rule(5, 'fine.example', 2, 'allow')];
    assert.equal(await blockedFor({ groups, domains, pauses: [pause('10.0.0.9')] }, '10.0.0.9', mac), '+5');
  });

  it('the members of a disabled group', async () => {
    const groups = [group(0), group(1), group(2, { enabled: false })];
    assert.equal(await blockedFor({ groups }, tablet), '2');
    assert.equal(await blockedFor({ groups, pauses: [pause(2)] }, tablet), '');
  });
});

describe('outside the windows of its schedules', () => {
  const window = (from: string, until: string): Schedule => ({
    days: ['sun'],
    from,
    until,
    time_zone: 'UTC',
  });

  it('the rules of a group apply to no client', async () => {
    const cases: readonly (readonly [string, string, string])[] = [
      ['08:00', '09:00', '3'],
      ['09:00', '10:00', '2 3'],
      ['09:00:01', '10:00', '3'],
    ];
    for (const [from, until, blocked] of cases) {
      const groups = [group(0), group(1, { schedules: [window(from, until)] }), group(2)];
      assert.equal(await blockedFor({ groups }, tablet), blocked, `${from} to ${until}`);
    }
  });

  it('the rules of the default group do not apply to unconfigured clients', async () => {
    const groups = [group(0, { schedules: [window('10:00', '11:00')] }), group(1), group(2)];
    assert.equal(await blockedFor({ groups }, unconfigured), '');
    assert.equal(buildPolicyPlan({ ...base, groups }).defaultGroups.length, 0);
  });
});
