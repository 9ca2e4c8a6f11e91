// Settings of one node of an installation: where its data lies and what it logs.

import { choice, text } from './declare.ts';

export const storage = {
  dir: text({
    default: './data',
    help: 'The folder of everything the service keeps. Under systemd the default is $STATE_DIRECTORY.',
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
    help: 'The least important messages that are still logged.',
    local: true,
  }),
  format: choice({
    default: 'text',
    choices: ['text', 'json'],
    help: 'Lines for people, or one JSON object a line for machines.',
    apply: 'restart',
    local: true,
  }),
} as const;
