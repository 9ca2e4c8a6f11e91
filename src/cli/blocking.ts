// `sluice blocking`: shows the switch, or turns it, for good or for a while after which it turns back by
// itself.

import type { Command } from 'commander';
import type { ReplyBody } from '#contract';
import { dateText } from './cells.ts';
import type { CommandContext, Talk } from './context.ts';
import { durationText } from './duration.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { refuse } from './failure.ts';
import { showJson, type ShowOptions } from './listing.ts';
import { forOption, defaultCommand, jsonOption, withExamples } from './options.ts';
import type { Terminal } from './terminal.ts';

interface SwitchOptions extends ShowOptions {
  /** Seconds. */
  readonly for?: number;
}

export const registerBlocking = (program: Command, context: CommandContext): void => {
  const blocking = program.command('blocking').description('switch blocking on and off');
  withExamples(blocking, 'sluice blocking', 'sluice blocking off --for 15m', 'sluice blocking on');
  const show = defaultCommand(blocking, 'show').description('tell whether it is on (the default)');
  withExamples(show, 'sluice blocking show', 'sluice blocking show --json')
    .addOption(jsonOption())
    .action(async (options: ShowOptions) => context.end(await showBlocking(context, options)));
  for (const state of ['on', 'off'] as const) {
    const turn = blocking.command(state).description(`switch blocking ${state}`);
    withExamples(turn, `sluice blocking ${state}`, `sluice blocking ${state} --for 15m`)
      .addOption(forOption('turn back by itself after'))
      .addOption(jsonOption())
      .action(async (options: SwitchOptions) =>
        context.end(await switchBlocking(context, state === 'on', options)),
      );
  }
};

const showBlocking = async ({ call, terminal }: Talk, { json }: ShowOptions): Promise<ExitCode> => {
  const reply = await call('getBlocking');
  if (!reply.ok) return refuse(terminal, 'The state of blocking was not told', reply);
  return showState(terminal, reply.body, json);
};

const switchBlocking = async (
  { call, terminal }: Talk,
  blocking: boolean,
  { json, for: seconds }: SwitchOptions,
): Promise<ExitCode> => {
  const reply = await call('setBlocking', { body: { blocking, timer: seconds ?? null } });
  if (!reply.ok) return refuse(terminal, `Blocking was not switched ${blocking ? 'on' : 'off'}`, reply);
  return showState(terminal, reply.body, json);
};

type State = ReplyBody<'getBlocking', 200>;

const showState = (terminal: Terminal, state: State, json: boolean | undefined): ExitCode => {
  if (json === true) return showJson(terminal, state);
  terminal.print(stateText(state, terminal.nowMs()));
  return exitCodes.ok;
};

export const stateText = ({ blocking, timer }: State, nowMs: number): string => {
  const now = `Blocking is ${blocking ? 'on' : 'off'}`;
  if (timer === null) return `${now}.`;
  const then = `${blocking ? 'off' : 'on'} again in ${durationText(timer)}`;
  return `${now}; it is ${then}, at ${dateText(nowMs / 1000 + timer)}.`;
};
