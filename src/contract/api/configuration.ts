// The settings in the API: read as a tree or in part, changed by a partial tree; single items of arrays are
// added and removed by their text. Settings that the environment or the file pins are shown, but cannot be
// changed.

import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { settingTopics } from '../settings/settings.ts';

const Tree = Type.Record(Type.String(), Type.Unknown(), {
  title: 'Configuration',
  description: 'Settings by their path; docs/settings.md lists them',
});
const Detailed = Type.Optional(
  Type.Boolean({ default: false, description: 'Describe every setting instead of returning only its value' }),
);
const TopicRow = Type.Object(
  { name: Type.String(), title: Type.String(), description: Type.String() },
  { title: 'ConfigurationTopic' },
);
const Reply = Type.Object({ config: Tree, topics: Type.Optional(Type.Array(TopicRow)) });
const Element = Type.Object({
  element: Type.String({ maxLength: 4_500, description: 'Path with slashes', examples: ['dns/upstreams'] }),
});
const Item = Type.Object({
  element: Type.String({
    maxLength: 4_500,
    description: 'Path of an array, a slash, and the item',
    examples: ['dns/hosts/192.0.2.9 nas.lan'],
  }),
});
const example = { config: { dns: { blocking: { mode: 'NULL' } } } };

export const configurationEndpoints = {
  getConfig: endpoint({
    method: 'GET',
    path: '/api/config',
    topic: 'configuration',
    access: 'session',
    summary: 'Get all settings',
    query: Type.Object({ detailed: Detailed }),
    replies: {
      200: { description: 'The settings', body: Reply, example: { ...example, topics: settingTopics } },
    },
    errors: [],
  }),
  getConfigElement: endpoint({
    method: 'GET',
    path: '/api/config/{element...}',
    topic: 'configuration',
    access: 'session',
    summary: 'Get some settings',
    description: 'The reply keeps the nesting from the root. For an unknown element the tree is empty.',
    params: Element,
    query: Type.Object({ detailed: Detailed }),
    replies: { 200: { description: 'The settings below the element', body: Reply, example } },
    errors: [],
  }),
  patchConfig: endpoint({
    method: 'PATCH',
    path: '/api/config',
    topic: 'configuration',
    access: 'sudo',
    summary: 'Change settings',
    description:
      'All or nothing. Unknown keys and null sections are ignored, unchanged values change nothing.',
    query: Type.Object({ detailed: Detailed }),
    body: Type.Object({ config: Tree }),
    bodyExample: { config: { dns: { blocking: { mode: 'NX' } } } },
    fieldErrors: { config: { missing: 'noConfigObject', wrong: 'noConfigObject' } },
    replies: { 200: { description: 'All settings after the change', body: Reply, example } },
    errors: ['noConfigObject', 'settingInvalid', 'settingRefused', 'settingPinned', 'requestFailed'],
  }),
  putConfigItem: endpoint({
    method: 'PUT',
    path: '/api/config/{element...}',
    topic: 'configuration',
    access: 'sudo',
    summary: 'Add an item to a setting that is an array',
    params: Item,
    replies: {
      200: { description: 'The setting has this item already', body: Type.Object({}), example: {} },
      201: { description: 'Added', body: Type.Object({}), example: {} },
    },
    errors: ['settingItemRefused', 'settingPathDepth', 'settingPinned', 'notFound'],
  }),
  deleteConfigItem: endpoint({
    method: 'DELETE',
    path: '/api/config/{element...}',
    topic: 'configuration',
    access: 'sudo',
    summary: 'Remove an item from a setting that is an array',
    params: Item,
    replies: { 204: { description: 'Removed', body: null } },
    errors: ['settingItemRefused', 'settingPathDepth', 'settingPinned', 'notFound'],
  }),
} as const;
