// `sluice blocking`: shows the switch, or turns it, for good or for a while after which it turns back by
// itself; for everybody, or as a pause for one group or client.

import { Option, type Command } from 'commander';
import type { ReplyBody } from '#contract';
import { dateText } from './cells.ts';
import { clientNamed } from './clients/lookup.ts';
import type { CommandContext, Talk } from './context.ts';
import { durationText } from './duration.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { refuse } from './failure.ts';
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

export const registerBlocking = (program: Command, context: CommandContext): void => {
  const blocking = program.command('blocking').description('switch blocking on and off');
  withExamples(
    blocking,
    'sluice blocking',
    'sluice blocking off --for 15m',
    'sluice blocking off --client 192.168.1.5 --for 15m',
    'sluice blocking on',
  );
  const show = defaultCommand(blocking, 'show').description('tell whether it is on (the default)');
  withExamples(show, 'sluice blocking show', 'sluice blocking show --json')
    .addOption(jsonOption())
    .action(async (options: ShowOptions) => context.end(await showBlocking(context, options)));
  for (const state of ['on', 'off'] as const) {
    const turn = blocking.command(state).description(`switch blocking ${state}`);
    withExamples(turn, `sluice blocking ${state}`, ...examplesOf[state]);
    withOptions(turn, [forOption('turn back by itself after'), ...whoOptions(), jsonOption()]).action(
      async (options: SwitchOptions) => context.end(await switchBlocking(context, state === 'on', options)),
    );
  }
};

const examplesOf = {
  on: ['sluice blocking on --for 15m', 'sluice blocking on --client "The tablet"'],
  off: [
    'sluice blocking off --for 15m',
    'sluice blocking off --group Children --for 1h',
    'sluice blocking off --client "The tablet" --for 15m',
  ],
} as const;

const whoOptions = (): readonly Option[] => [
  new Option('--group <name>', 'only for those in this group').conflicts('client'),
  new Option(
    '--client <client>',
    'only for this client: an address, range, MAC address, host name, :interface, or its comment',
  ),
];

const showBlocking = async ({ call, terminal }: Talk, { json }: ShowOptions): Promise<ExitCode> => {
  const reply = await call('getBlocking');
  if (!reply.ok) return refuse(terminal, 'The state of blocking was not told', reply);
  return showState(terminal, reply.body, json);
};

const switchBlocking = async (
  { call, terminal }: Talk,
  blocking: boolean,
  { json, for: seconds, group, client: text }: SwitchOptions,
): Promise<ExitCode> => {
  const client = text === undefined ? undefined : await clientNamed(call, text);
  if (client?.ok === false) {
    terminal.error(client.problem);
    return exitCodes.failed;
  }
  const who = { ...(group === undefined ? {} : { group }), ...(client && { client: client.value }) };
  const reply = await call('setBlocking', { body: { blocking, timer: seconds ?? null, ...who } });
  if (!reply.ok) return refuse(terminal, `Blocking was not switched ${blocking ? 'on' : 'off'}`, reply);
  return showState(terminal, reply.body, json);
};

type State = ReplyBody<'getBlocking', 200>;

const showState = (terminal: Terminal, state: State, json: boolean | undefined): ExitCode => {
  if (json === true) return showJson(terminal, state);
  terminal.print(stateText(state, terminal.nowMs()));
  return exitCodes.ok;
};

export const stateText = (state: State, nowMs: number): string =>
  [switchText(state, nowMs), ...state.pauses.map((pause) => pauseText(pause, nowMs))].join('\n');

const pauseText = ({ group, client = '', until }: State['pauses'][number], nowMs: number): string => {
  const who = group === undefined ? `client ${printable(client)}` : `group ${quoted(group)}`;
  if (until === null) return `Paused for ${who} until \`sluice blocking on --${who}\` ends it.`;
  return `Paused for ${who} for ${durationText(Math.floor(until - nowMs / 1000))}, until ${dateText(until)}.`;
};

const switchText = ({ blocking, timer }: State, nowMs: number): string => {
  const now = `Blocking is ${blocking ? 'on' : 'off'}`;
  if (timer === null) return `${now}.`;
  // What is on may stay on: it does so when the timer was set on blocking that was on already.
  const then = blocking ? 'its timer ends' : 'it is on again';
  return `${now}; ${then} in ${durationText(timer)}, at ${dateText(nowMs / 1000 + timer)}.`;
};
