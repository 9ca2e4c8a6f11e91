// `sluice domains`: lists, adds, changes and removes your own rules: domains and regular expressions that are
// denied or allowed. Several are sent one by one, so that a wrong one does not affect the others.

import { Option, type Command } from 'commander';
import type { ReplyBody } from '#contract';
import { dateOrNever, yesNo } from '../cells.ts';
import type { CommandContext, Talk } from '../context.ts';
import type { ControlClient } from '../control.ts';
import { forEach, outcomeOf, type Outcome } from '../each.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { fail, refuse } from '../failure.ts';
import { groupIds, groupsById } from '../groups/lookup.ts';
import { showJson, showList, type ShowOptions } from '../listing.ts';
import {
  commentOption,
  defaultCommand,
  enableOptions,
  forOption,
  groupOption,
  jsonOption,
  withExamples,
  withOptions,
} from '../options.ts';
import { patchOf } from '../patch.ts';
import { quoted } from '../printable.ts';
import type { Columns } from '../table.ts';
import { domainSubject, findKey, keyOptions, kindOf, typeOf, type KeyOptions } from './key.ts';

const allowExample = 'sluice domains add --allow shop.example.com --client 192.168.1.5 --for 1h';

export function registerDomains(program: Command, context: CommandContext): void {
  const domains = program.command('domains').description('your own rules: domains that you deny or allow');
  withExamples(domains, 'sluice domains', 'sluice domains add ads.example.com', allowExample);
  registerList(domains, context);
  registerAdd(domains, context);
  registerSet(domains, context);
  registerRemove(domains, context);
}

function registerList(domains: Command, context: CommandContext): void {
  const list = defaultCommand(domains, 'list').description('list domains (the default)');
  withExamples(list, 'sluice domains list --allow', 'sluice domains list --deny --regex --json');
  withOptions(list, [...keyOptions(), jsonOption()]).action(async (options: KeyOptions & ShowOptions) =>
    context.end(await listDomains(context, options)),
  );
}

async function listDomains({ call, terminal }: Talk, options: KeyOptions & ShowOptions): Promise<ExitCode> {
  const reply = await readDomains(call, options);
  if (!reply.ok) return refuse(terminal, 'The domains cannot be listed', reply);
  if (options.json === true) return showJson(terminal, reply.body);
  const groups = await groupsById(call);
  if (!groups.ok) return fail(terminal, groups.problem);
  const columns = columnsWith(groups.value);
  return showList(terminal, { items: reply.body.domains, columns, empty: emptyText(options) });
}

function emptyText(options: KeyOptions): string {
  return (typeOf(options) ?? kindOf(options)) === undefined
    ? 'There are no domains; `sluice domains add` adds one.'
    : 'There are no such domains; `sluice domains` lists all.';
}

function readDomains(call: ControlClient, options: KeyOptions) {
  const [type, kind] = [typeOf(options), kindOf(options)];
  if (type !== undefined && kind !== undefined) return call('getDomainList', { params: { type, kind } });
  const list = type ?? kind;
  return list === undefined ? call('getDomains') : call('getDomainsOf', { params: { list } });
}

type Domain = ReplyBody<'getDomains', 200>['domains'][number];

/** Internationalised names are shown in Unicode and as DNS has them. */
function columnsWith(groupNames: ReadonlyMap<number, string>): Columns<Domain> {
  return {
    domain: ({ domain, unicode }) => (domain === unicode ? domain : `${unicode} (${domain})`),
    type: ({ type }) => type,
    kind: ({ kind }) => kind,
    enabled: ({ enabled }) => yesNo(enabled),
    ends: ({ expires_at }) => dateOrNever(expires_at),
    groups: ({ groups }) => groups.map((id) => groupNames.get(id) ?? String(id)).join(', '),
    comment: ({ comment }) => comment ?? '',
  };
}

interface AddOptions extends KeyOptions {
  readonly comment?: string;
  readonly group?: readonly string[];
  readonly client?: readonly string[];
  /** Seconds. */
  readonly for?: number;
  readonly disabled?: true;
}

function registerAdd(domains: Command, context: CommandContext): void {
  const add = domains
    .command('add <domain...>')
    .description('deny or allow domains; *.x means x and everything below it');
  withExamples(
    add,
    "sluice domains add ads.example.com '*.tracker.example.net'",
    allowExample,
    "sluice domains add --regex '^ads[0-9]+\\.' --group Children --group Guests",
    "sluice domains add --allow '*.example.com;important'",
  );
  withOptions(add, [
    new Option('--deny', 'block them (the default)').conflicts('allow'),
    new Option('--allow', 'never block them'),
    new Option('--exact', 'they are domains (the default)').conflicts('regex'),
    new Option('--regex', 'they are regular expressions'),
    commentOption(),
    groupOption('only for this group, not for the default group'),
    clientOption(),
    forOption('only for this time'),
    new Option('--disabled', 'add it disabled'),
  ]).action(async (texts: string[], options: AddOptions) =>
    context.end(await addDomains(context, texts, options)),
  );
}

function clientOption(): Option {
  return new Option(
    '--client <client>',
    'only for this client: an address, range, MAC address, host name, its comment or id; may be repeated',
  ).argParser((client: string, before: readonly string[] | undefined) => [...(before ?? []), client]);
}

/** The rule with `;client=`, which the service checks. */
function forClients(domain: string, clients: readonly string[] | undefined): string {
  return clients === undefined ? domain : `${domain};client=${clients.join()}`;
}

async function addDomains(
  { call, terminal }: Talk,
  domains: readonly string[],
  options: AddOptions,
): Promise<ExitCode> {
  const groups = await groupIds(call, options.group);
  if (!groups.ok) return fail(terminal, groups.problem);
  const params = { type: typeOf(options) ?? 'deny', kind: kindOf(options) ?? 'exact' } as const;
  const fields = {
    comment: options.comment ?? '',
    enabled: options.disabled !== true,
    expires_at: expiryAfter(options.for, terminal.nowMs()) ?? null,
    ...(groups.value === undefined ? {} : { groups: groups.value }),
  };
  const rules = domains.map((domain) => forClients(domain, options.client));
  return forEach(terminal, rules, async (domain) => {
    const reply = await call('createDomains', { params, body: { domain, ...fields } });
    const warnings = reply.ok ? (reply.body.processed.warnings ?? []) : [];
    for (const { item, warning } of warnings) terminal.error(`Warning about ${quoted(item)}: ${warning}`);
    return outcomeOf(domainSubject(params, domain), 'added', reply);
  });
}

/** Unix seconds. */
function expiryAfter(seconds: number | undefined, nowMs: number): number | undefined {
  return seconds === undefined ? undefined : Math.round(nowMs / 1000) + seconds;
}

interface SetOptions extends KeyOptions {
  readonly comment?: string;
  readonly group?: readonly string[];
  /** Seconds. */
  readonly for?: number;
  readonly forever?: true;
  readonly enable?: true;
  readonly disable?: true;
}

function registerSet(domains: Command, context: CommandContext): void {
  const set = domains.command('set <domain...>').description('change domains');
  withExamples(
    set,
    'sluice domains set ads.example.com --disable',
    'sluice domains set shop.example.com --allow --for 1d',
  );
  withOptions(set, [
    ...keyOptions(),
    commentOption(),
    groupOption('move it into this group'),
    forOption('end it after this time').conflicts('forever'),
    new Option('--forever', 'remove its end'),
    ...enableOptions(),
  ]).action(async (texts: string[], options: SetOptions) =>
    context.end(await setDomains(context, texts, options)),
  );
}

/** Fields without an option keep their value: the body is a JSON Merge Patch (RFC 7396). */
async function setDomains(talk: Talk, domains: readonly string[], options: SetOptions): Promise<ExitCode> {
  const { call, terminal } = talk;
  const groups = await groupIds(call, options.group);
  if (!groups.ok) return fail(terminal, groups.problem);
  const { comment, enable, disable } = options;
  const expires_at = options.forever === true ? null : expiryAfter(options.for, terminal.nowMs());
  const patch = patchOf({ comment, enable, disable, expires_at, groups: groups.value });
  if (patch === undefined) {
    terminal.error('Say what to change: --comment, --group, --for, --forever, --enable or --disable.');
    return exitCodes.usage;
  }
  return forEach(terminal, domains, (domain) => setDomain(talk, domain, options, patch));
}

async function setDomain(
  { call }: Talk,
  domain: string,
  options: KeyOptions,
  body: Record<string, unknown>,
): Promise<Outcome> {
  const found = await findKey(call, domain, options);
  if (!found.ok) return { ok: false, text: found.problem };
  const reply = await call('patchDomain', { params: { ...found.key, domain }, body });
  return outcomeOf(domainSubject(found.key, domain), 'changed', reply);
}

function registerRemove(domains: Command, context: CommandContext): void {
  const remove = domains.command('remove <domain...>').description('remove domains');
  withExamples(remove, 'sluice domains remove ads.example.com', "sluice domains remove --regex '^ads'");
  withOptions(remove, keyOptions()).action(async (texts: string[], options: KeyOptions) =>
    context.end(await removeDomains(context, texts, options)),
  );
}

function removeDomains(
  { call, terminal }: Talk,
  domains: readonly string[],
  options: KeyOptions,
): Promise<ExitCode> {
  return forEach(terminal, domains, async (domain) => {
    const found = await findKey(call, domain, options);
    if (!found.ok) return { ok: false, text: found.problem };
    const reply = await call('deleteDomain', { params: { ...found.key, domain } });
    return outcomeOf(domainSubject(found.key, domain), 'removed', reply);
  });
}
