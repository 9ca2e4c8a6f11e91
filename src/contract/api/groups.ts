// Groups: which lists and rules apply to which clients, and when. Existing clients of this API know the names
// and shapes of the fields, except for two new ones about schedules, which are optional.

import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';
import { bedtime, Schedule, SchedulesSent, ScheduleState } from './schedules.ts';
import { Comment, Patch, Processed, removals, UnixSeconds } from './shared.ts';

const Name = Type.String({
  minLength: 1,
  maxLength: limits.nameLength,
  description: 'Unique; any characters, but neither `.` nor `..` nor only blanks',
});

const privacyText =
  'What is hidden in the history of its clients, as in misc.privacylevel; the highest level counts';
const Privacy = Type.Integer({ minimum: 0, maximum: 3, description: privacyText });
const PrivacySent = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 3,
    description: `${privacyText}. By default it stays unchanged; a new group has 0.`,
  }),
);

const Group = Type.Object(
  {
    id: Type.Integer({ description: '0 is the default group' }),
    name: Name,
    comment: Comment,
    enabled: Type.Boolean(),
    date_added: UnixSeconds,
    date_modified: UnixSeconds,
    schedules: Type.Array(Schedule, { description: 'When its rules apply; empty: always' }),
    schedule: ScheduleState,
    privacy: Privacy,
  },
  { title: 'Group' },
);

const Groups = Type.Object({ groups: Type.Array(Group) });
const GroupsProcessed = Type.Object({ groups: Type.Array(Group), processed: Processed });
const ByName = Type.Object({
  name: Type.String({
    minLength: 1,
    maxLength: limits.nameLength,
    description: 'Name of the group',
    examples: ['Children'],
  }),
});

const children = {
  id: 1,
  name: 'Children',
  comment: 'Tablets and consoles',
  enabled: true,
  date_added: 1794700000,
  date_modified: 1794700000,
  schedules: [bedtime],
  schedule: { active: true, next_change: 1794720600 },
  privacy: 0,
};
const processed = { success: [{ item: 'Children' }], errors: [] };
const named = { missing: 'noGroupName', wrong: 'noGroupName' } as const;

export const groupEndpoints = {
  getGroups: endpoint({
    method: 'GET',
    path: '/api/groups',
    topic: 'groups',
    access: 'session',
    summary: 'List all groups',
    replies: { 200: { description: 'All groups', body: Groups, example: { groups: [children] } } },
    errors: [],
  }),
  createGroups: endpoint({
    method: 'POST',
    path: '/api/groups',
    topic: 'groups',
    access: 'session',
    summary: 'Create one group or several',
    description:
      'The reply has every group created, and Location and ETag of the last; `processed` has the result ' +
      'for each name.',
    body: Type.Object({
      name: Type.Union([Name, Type.Array(Name, { minItems: 1, maxItems: limits.itemsPerRequest })]),
      comment: Type.Optional(Comment),
      enabled: Type.Optional(Type.Boolean({ default: true })),
      schedules: SchedulesSent,
      privacy: PrivacySent,
    }),
    bodyExample: { name: 'Children', comment: 'Tablets and consoles', schedules: [bedtime] },
    fieldErrors: { name: named },
    replies: {
      201: { description: 'Created', body: GroupsProcessed, example: { groups: [children], processed } },
    },
    errors: ['noGroupName', 'invalidGroupName', 'invalidSchedule', 'duplicate', 'collectionFull'],
  }),
  getGroup: endpoint({
    method: 'GET',
    path: '/api/groups/{name}',
    topic: 'groups',
    access: 'session',
    summary: 'Get one group',
    hasTag: true,
    params: ByName,
    replies: {
      200: { description: 'The group, as the only element', body: Groups, example: { groups: [children] } },
    },
    errors: ['notFound'],
  }),
  putGroup: endpoint({
    method: 'PUT',
    path: '/api/groups/{name}',
    topic: 'groups',
    access: 'session',
    summary: 'Create, replace or rename a group',
    description:
      'Omitted fields get their defaults, but schedules and privacy stay unchanged. A `name` in the ' +
      'body that differs from the path renames.',
    params: ByName,
    body: Type.Object({
      name: Type.Optional(
        Type.Union([Name, Type.Null()], { description: 'The new name; null as if it were omitted' }),
      ),
      comment: Type.Optional(Comment),
      enabled: Type.Optional(Type.Boolean({ default: true })),
      schedules: SchedulesSent,
      privacy: PrivacySent,
    }),
    bodyExample: { comment: 'Tablets and consoles', enabled: true },
    replies: {
      200: { description: 'Stored', body: GroupsProcessed, example: { groups: [children], processed } },
    },
    errors: ['invalidGroupName', 'invalidSchedule', 'duplicate', 'collectionFull', 'preconditionFailed'],
  }),
  patchGroup: endpoint({
    method: 'PATCH',
    path: '/api/groups/{name}',
    topic: 'groups',
    access: 'session',
    summary: 'Change some fields of a group',
    params: ByName,
    body: Patch,
    bodyExample: { enabled: false },
    replies: {
      200: { description: 'Stored', body: GroupsProcessed, example: { groups: [children], processed } },
    },
    errors: [
      'notFound',
      'invalidPatch',
      'invalidGroupName',
      'invalidSchedule',
      'duplicate',
      'preconditionFailed',
    ],
  }),
  deleteGroup: endpoint({
    method: 'DELETE',
    path: '/api/groups/{name}',
    topic: 'groups',
    access: 'session',
    summary: 'Delete a group',
    params: ByName,
    replies: { 204: { description: 'Deleted', body: null } },
    errors: ['notFound', 'defaultGroup', 'preconditionFailed'],
  }),
  batchDeleteGroups: endpoint({
    method: 'POST',
    path: '/api/groups:batchDelete',
    topic: 'groups',
    access: 'session',
    summary: 'Delete several groups',
    ...removals({ item: Name }),
    bodyExample: [{ item: 'Children' }],
    errors: ['notFound', 'defaultGroup', 'notRemoved'],
  }),
} as const;
