// All settings. Environment variables, the file, the API and docs/settings.md are derived from this tree.

import type { SettingTree } from './declare.ts';
import { auth } from './auth.ts';
import { dns } from './dns.ts';
import { database, misc } from './history.ts';
import { lists } from './lists.ts';
import { metrics } from './metrics.ts';
import { log, storage } from './node.ts';
import { web } from './web.ts';
import { flatten, type SettingEntry, type Values } from './values.ts';

const settingsTree = {
  web,
  auth,
  dns,
  lists,
  database,
  misc,
  metrics,
  storage,
  log,
} as const satisfies SettingTree;

export type Settings = Values<typeof settingsTree>;

export const settingEntries: readonly SettingEntry[] = flatten(settingsTree);

export const settingTopics: readonly {
  readonly name: string;
  readonly title: string;
  readonly description: string;
}[] = [
  { name: 'web', title: 'Web server', description: 'HTTP, HTTPS, host names and certificates' },
  { name: 'auth', title: 'Authentication', description: 'The password and the lifetime of sessions' },
  { name: 'dns', title: 'DNS', description: 'Listening, upstreams, local records, blocking' },
  { name: 'lists', title: 'Lists', description: 'When subscribed lists are fetched, and from where' },
  { name: 'database', title: 'History', description: 'How long queries are stored' },
  { name: 'misc', title: 'Privacy', description: 'What is stored of queries' },
  { name: 'metrics', title: 'Metrics', description: 'Who may read the metrics for Prometheus' },
  { name: 'storage', title: 'Storage', description: 'Where the data is stored' },
  { name: 'log', title: 'Log', description: 'What is logged, and in which form' },
];
