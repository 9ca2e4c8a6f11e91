// `sluice blocking`: shows whether blocking is on, and switches it on or off, optionally for a limited time,
// for all clients or as a pause for one group or client.

import { Option, type Command } from 'commander';
import type { ReplyBody } from '#contract';
import { dateText } from './cells.ts';
import { findClient } from './clients/lookup.ts';
import type { CommandContext, Talk } from './context.ts';
import { durationText } from './duration.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { fail, refuse } from './failure.ts';
import { showJson, type ShowOptions } from './listing.ts';
import { forOption, defaultCommand, jsonOption, withExamples, withOptions } from './options.ts';
import { printable, quoted } from './printable.ts';
import type { Terminal } from './terminal.ts';

interface SwitchOptions extends ShowOptions {
  /** Seconds. */
  readonly for?: number;
  readonly group?: string;
  readonly client?: string;
}

export function registerBlocking(program: Command, context: CommandContext): void {
  const blocking = program.command('blocking').description('switch blocking on and off');
  withExamples(
    blocking,
    'sluice blocking',
    'sluice blocking off --for 15m',
    'sluice blocking off --client 192.168.1.5 --for 15m',
    'sluice blocking on',
  );
  const show = defaultCommand(blocking, 'show').description('show whether blocking is on (the default)');
  withExamples(show, 'sluice blocking show', 'sluice blocking show --json')
    .addOption(jsonOption())
    .action(async (options: ShowOptions) => context.end(await showBlocking(context, options)));
  for (const state of ['on', 'off'] as const) {
    const turn = blocking.command(state).description(`switch blocking ${state}`);
    withExamples(turn, `sluice blocking ${state}`, ...examplesOf[state]);
    withOptions(turn, [forOption('switch back after this time'), ...scopeOptions(), jsonOption()]).action(
      async (options: SwitchOptions) => context.end(await switchBlocking(context, state === 'on', options)),
    );
  }
}

const examplesOf = {
  on: ['sluice blocking on --for 15m', 'sluice blocking on --client "The tablet"'],
  off: [
    'sluice blocking off --for 15m',
    'sluice blocking off --group Children --for 1h',
    'sluice blocking off --client "The tablet" --for 15m',
  ],
} as const;

function scopeOptions(): readonly Option[] {
  return [
    new Option('--group <name>', 'only for the clients of this group').conflicts('client'),
    new Option(
      '--client <client>',
      'only for this client: an address, range, MAC address, host name, :interface, or its comment',
    ),
  ];
}

async function showBlocking({ call, terminal }: Talk, { json }: ShowOptions): Promise<ExitCode> {
  const reply = await call('getBlocking');
  if (!reply.ok) return refuse(terminal, 'The state of blocking cannot be read', reply);
  return showState(terminal, reply.body, json);
}

async function switchBlocking(
  { call, terminal }: Talk,
  blocking: boolean,
  { json, for: seconds, group, client: text }: SwitchOptions,
): Promise<ExitCode> {
  const client = text === undefined ? undefined : await findClient(call, text);
  if (client?.ok === false) return fail(terminal, client.problem);
  const scope = { ...(group === undefined ? {} : { group }), ...(client && { client: client.value }) };
  const reply = await call('setBlocking', { body: { blocking, timer: seconds ?? null, ...scope } });
  if (!reply.ok) return refuse(terminal, `Blocking was not switched ${blocking ? 'on' : 'off'}`, reply);
  return showState(terminal, reply.body, json);
}

type State = ReplyBody<'getBlocking', 200>;

function showState(terminal: Terminal, state: State, json: boolean | undefined): ExitCode {
  if (json === true) return showJson(terminal, state);
  terminal.print(stateText(state, terminal.nowMs()));
  return exitCodes.ok;
}

export function stateText(state: State, nowMs: number): string {
  return [switchText(state, nowMs), ...state.pauses.map((pause) => pauseText(pause, nowMs))].join('\n');
}

function pauseText({ group, client = '', until }: State['pauses'][number], nowMs: number): string {
  const who = group === undefined ? `client ${printable(client)}` : `group ${quoted(group)}`;
  if (until === null) return `Paused for ${who} until \`sluice blocking on --${who}\` ends it.`;
  return `Paused for ${who} for ${durationText(Math.floor(until - nowMs / 1000))}, until ${dateText(until)}.`;
}

function switchText({ blocking, timer }: State, nowMs: number): string {
  const now = `Blocking is ${blocking ? 'on' : 'off'}`;
  if (timer === null) return `${now}.`;
  const end = dateText(nowMs / 1000 + timer);
  // Blocking may stay on after the timer: a timer that is set while blocking is on does not switch it off.
  if (blocking) return `${now}; its timer ends in ${durationText(timer)}, at ${end}.`;
  return `${now} for another ${durationText(timer)}, until ${end}.`;
}
