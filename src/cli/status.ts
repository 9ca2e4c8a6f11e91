// `sluice status`: shows the state of the running service, problems first. The exit code says whether DNS is
// answered.

import type { Command } from 'commander';
import type { ReplyBody } from '#contract';
import type { CommandContext, Talk } from './context.ts';
import { durationText } from './duration.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { refuse } from './failure.ts';
import type { ShowOptions } from './listing.ts';
import { withExamples } from './options.ts';

export function registerStatus(program: Command, context: CommandContext): void {
  const status = program.command('status').description('show the state of the running service');
  withExamples(status, 'sluice status', 'sluice status --json')
    .option('--json', 'for scripts')
    .action(async (options: ShowOptions) => context.end(await showStatus(context, options)));
}

async function showStatus({ call, terminal }: Talk, { json }: ShowOptions): Promise<ExitCode> {
  const reply = await call('getStatus');
  if (!reply.ok) return refuse(terminal, 'The state of the service cannot be read', reply);
  const { status } = reply.body;
  terminal.print(json === true ? JSON.stringify(status, null, 2) : describe(status, terminal.nowMs()));
  return status.health === 'failing' ? exitCodes.failed : exitCodes.ok;
}

type Status = ReplyBody<'getStatus', 200>['status'];

function describe(status: Status, nowMs: number): string {
  const { version, state, pid, node, started } = status;
  const upFor = durationText(nowMs / 1000 - started);
  return [
    ...healthLine(status),
    `Sluice ${version} is ${state}, process ${pid}, Node ${node}, up ${upFor}`,
    `Data folder  ${status.data_folder}`,
    `Database     ${databaseText(status.database)}`,
    ...status.urls.map((url) => `Web          ${url}`),
    ...status.listeners.map((listener) => `Listening    ${listenerText(listener)}`),
    ...status.threads.map((thread) => `Thread       ${threadText(thread)}`),
    `DNS          ${dnsText(status.dns)}`,
    ...(status.certificate === null ? [] : [`Certificate  ${certificateText(status.certificate)}`]),
  ].join('\n');
}

/** The first line; absent when everything works. */
function healthLine({ health, degraded }: Status): readonly string[] {
  if (health === 'ok') return [];
  const parts = degraded.map(({ part, reason, since }) => `${part} since ${dateOf(since)} UTC: ${reason}`);
  return [`${health.toUpperCase()}: ${parts.join('; ')}`];
}

function databaseText({ state, size, newest_copy }: Status['database']): string {
  return `${state}, ${Math.ceil(size / 1024)} kB, newest copy ${dateOf(newest_copy)}`;
}

function dnsText({ queries, cached, forwarded, blocked, failed, refused }: Status['dns']): string {
  const answered = `${cached} from the cache, ${forwarded} forwarded, ${blocked} blocked, ${failed} failed`;
  return `${queries} queries: ${answered}; ${refused} refused`;
}

function listenerText({ setting, address, port, problem }: Status['listeners'][number]): string {
  return `${setting} ${address} port ${port}${problem === null ? '' : `: ${problem}`}`;
}

function threadText({ name, state, restarts, last_failure }: Status['threads'][number]): string {
  const times = restarts === 1 ? 'once' : `${restarts} times`;
  return `${name}: ${state}${restarts === 0 ? '' : `, replaced ${times}, last because: ${last_failure}`}`;
}

function certificateText({ source, valid_until, fingerprint }: NonNullable<Status['certificate']>): string {
  return `${source}, valid until ${dateOf(valid_until)}, SHA-256 ${fingerprint}`;
}

function dateOf(unixSeconds: number | null): string {
  return unixSeconds === null
    ? 'none yet'
    : new Date(unixSeconds * 1000).toISOString().slice(0, 16).replace('T', ' ');
}
