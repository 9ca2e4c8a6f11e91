// `sluice domains`: your own rules: domains and regular expressions that are denied or allowed.

import { Option, type Command } from 'commander';
import type { ReplyBody } from '#contract';
import { dateOrNever, groupsText, yesNo } from '../cells.ts';
import type { CommandContext } from '../context.ts';
import type { ControlClient } from '../control.ts';
import { registerNoun, type Noun, type NounOptions } from '../noun.ts';
import {
  commentOption,
  disabledOption,
  enableOptions,
  forOption,
  groupOption,
  repeatedOption,
} from '../options.ts';
import { quoted } from '../printable.ts';
import {
  domainSubject,
  findKey,
  keyOptions,
  kindOf,
  typeOf,
  type DomainKey,
  type KeyOptions,
} from './key.ts';

type Domain = ReplyBody<'getDomains', 200>['domains'][number];

interface Options extends NounOptions, KeyOptions {
  readonly client?: readonly string[];
  /** Seconds. */
  readonly for?: number;
  readonly forever?: true;
}

const allowExample = 'sluice domains add --allow shop.example.com --client 192.168.1.5 --for 1h';

export function registerDomains(program: Command, context: CommandContext): void {
  registerNoun(program, context, noun);
}

const noun: Noun<Domain, DomainKey & { readonly domain: string }, Options> = {
  name: 'domains',
  description: 'your own rules: domains that you deny or allow',
  examples: ['sluice domains', 'sluice domains add ads.example.com', allowExample],
  list: {
    description: 'list domains (the default)',
    examples: ['sluice domains list --allow', 'sluice domains list --deny --regex --json'],
    options: keyOptions(),
    read: async (call, options) => {
      const reply = await readDomains(call, options);
      return reply.ok ? { ...reply, items: reply.body.domains } : reply;
    },
    columns: (groupNames) => ({
      // Internationalised names are shown in Unicode and as DNS has them.
      domain: ({ domain, unicode }) => (domain === unicode ? domain : `${unicode} (${domain})`),
      type: ({ type }) => type,
      kind: ({ kind }) => kind,
      enabled: ({ enabled }) => yesNo(enabled),
      ends: ({ expires_at }) => dateOrNever(expires_at),
      groups: groupsText(groupNames),
      comment: ({ comment }) => comment ?? '',
    }),
    empty: (options) =>
      (typeOf(options) ?? kindOf(options)) === undefined
        ? 'There are no domains; `sluice domains add` adds one.'
        : 'There are no such domains; `sluice domains` lists all.',
  },
  add: {
    description: 'deny or allow domains; *.x means x and everything below it',
    examples: [
      "sluice domains add ads.example.com '*.tracker.example.net'",
      allowExample,
      "sluice domains add --regex '^ads[0-9]+\\.' --group Children --group Guests",
      "sluice domains add --allow '*.example.com;important'",
    ],
    options: [
      new Option('--deny', 'block them (the default)').conflicts('allow'),
      new Option('--allow', 'never block them'),
      new Option('--exact', 'they are domains (the default)').conflicts('regex'),
      new Option('--regex', 'they are regular expressions'),
      commentOption(),
      groupOption('only for this group, not for the default group'),
      clientOption(),
      forOption('only for this time'),
      disabledOption(),
    ],
    create: async ({ call, terminal }, { domain, ...params }, options, groups) => {
      const { comment = '', disabled = false } = options;
      const expires_at = expiryAfter(options.for, terminal.nowMs()) ?? null;
      const body = { domain, comment, enabled: !disabled, expires_at, ...groups };
      const reply = await call('createDomains', { params, body });
      const warnings = reply.ok ? (reply.body.processed.warnings ?? []) : [];
      for (const { item, warning } of warnings) terminal.error(`Warning about ${quoted(item)}: ${warning}`);
      return reply;
    },
  },
  set: {
    description: 'change domains',
    examples: [
      'sluice domains set ads.example.com --disable',
      'sluice domains set shop.example.com --allow --for 1d',
    ],
    options: [
      ...keyOptions(),
      commentOption(),
      groupOption('move it into this group'),
      forOption('end it after this time').conflicts('forever'),
      new Option('--forever', 'remove its end'),
      ...enableOptions(),
    ],
    fields: (options, nowMs) => ({
      expires_at: options.forever === true ? null : expiryAfter(options.for, nowMs),
    }),
    choice: '--comment, --group, --for, --forever, --enable or --disable',
    patch: (call, params, body) => call('patchDomain', { params, body }),
  },
  remove: {
    description: 'remove domains',
    examples: ['sluice domains remove ads.example.com', "sluice domains remove --regex '^ads'"],
    options: keyOptions(),
    delete: (call, params) => call('deleteDomain', { params }),
  },
  keyOf: (domain, options) => ({
    type: typeOf(options) ?? 'deny',
    kind: kindOf(options) ?? 'exact',
    domain: forClients(domain, options.client),
  }),
  find: async (call, domain, options) => {
    const found = await findKey(call, domain, options);
    return found.ok ? { ok: true, key: { ...found.key, domain } } : found;
  },
  subjectOf: (key) => domainSubject(key, key.domain),
};

function clientOption(): Option {
  return repeatedOption(
    '--client <client>',
    'only for this client: an address, range, MAC address, host name, its comment or id',
  );
}

/** The rule with `;client=`, which the service checks. */
function forClients(domain: string, clients: readonly string[] | undefined): string {
  return clients === undefined ? domain : `${domain};client=${clients.join()}`;
}

async function readDomains(call: ControlClient, options: KeyOptions) {
  const [type, kind] = [typeOf(options), kindOf(options)];
  if (type !== undefined && kind !== undefined) return call('getDomainList', { params: { type, kind } });
  const list = type ?? kind;
  return list === undefined ? call('getDomains') : call('getDomainsOf', { params: { list } });
}

/** Unix seconds. */
function expiryAfter(seconds: number | undefined, nowMs: number): number | undefined {
  return seconds === undefined ? undefined : Math.round(nowMs / 1000) + seconds;
}
