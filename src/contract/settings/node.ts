// Settings of one node of an installation: where its data is stored and what it logs.

import { choice, text } from './declare.ts';

export const storage = {
  dir: text({
    default: './data',
    help: 'The folder for all data of the service. Under systemd the default is $STATE_DIRECTORY.',
    allowed: 'the path of a folder',
    check: (value) => (value === '' ? 'empty' : undefined),
    apply: 'restart',
    local: true,
    early: true,
  }),
} as const;

export const log = {
  level: choice({
    default: 'info',
    choices: ['error', 'warn', 'info', 'debug'],
    help: 'The lowest level that is logged.',
    local: true,
  }),
  format: choice({
    default: 'text',
    choices: ['text', 'json'],
    help: 'Lines for people, or one JSON object per line for machines.',
    apply: 'restart',
    local: true,
  }),
} as const;
