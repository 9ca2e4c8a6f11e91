// The client as the policy sees it: which configured client it is and by what it was found, the groups in
// force for it, and whether rules may block.

import { canExplain, type ClientRow, type Policy, type PolicyClient } from '#policy';
import type { ExplainedClient, FoundBy } from './explained.ts';

const wholeAddressBits = 128;
const root = Uint8Array.of(0);

/** `groups`: the number that the policy gave for this client. */
export function explainClient(
  policy: Policy,
  who: PolicyClient,
  groups: number,
  isAnswered: boolean,
): ExplainedClient {
  const { mac, hostName, interface: through } = who;
  const traits = { isAnswered, mac, hostName, interface: through };
  if (!canExplain(policy))
    return { ...traits, configured: '', foundBy: 'nothing', groups: undefined, isBlocking: true };
  const row = policy.clientOf(who);
  // Every decision tells the groups it was made for, also one about no name at all.
  const { groups: ids, isBlocking } = policy.explain(root, root.length, 1, groups);
  return { ...traits, configured: row?.labels?.[0] ?? '', foundBy: foundBy(row), groups: ids, isBlocking };
}

function foundBy(row: ClientRow | undefined): FoundBy {
  if (row === undefined) return 'nothing';
  if (row.address !== undefined) return row.prefixBits >= wholeAddressBits ? 'address' : 'range';
  if (row.mac !== undefined) return 'mac';
  return row.hostName === undefined ? 'interface' : 'hostName';
}
