// `sluice status`: what is running, as the service itself tells it, for people or for scripts.

import type { Command } from 'commander';
import type { ReplyBody } from '#contract';
import type { CommandContext, Talk } from './context.ts';
import { durationText } from './duration.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { refuse } from './failure.ts';
import type { ShowOptions } from './listing.ts';
import { withExamples } from './options.ts';

export const registerStatus = (program: Command, context: CommandContext): void => {
  const status = program.command('status').description('tell what is running');
  withExamples(status, 'sluice status', 'sluice status --json')
    .option('--json', 'for scripts')
    .action(async (options: ShowOptions) => context.end(await showStatus(context, options)));
};

const showStatus = async ({ call, terminal }: Talk, { json }: ShowOptions): Promise<ExitCode> => {
  const reply = await call('getStatus');
  if (!reply.ok) return refuse(terminal, 'The service does not tell its state', reply);
  const { status } = reply.body;
  terminal.print(json === true ? JSON.stringify(status, null, 2) : describe(status, terminal.nowMs()));
  return status.health === 'failing' ? exitCodes.failed : exitCodes.ok;
};

type Status = ReplyBody<'getStatus', 200>['status'];

const describe = (status: Status, nowMs: number): string => {
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
};

/** The first thing to see, and absent when all is well. */
const healthLine = ({ health, degraded }: Status): readonly string[] => {
  if (health === 'ok') return [];
  const parts = degraded.map(({ part, reason, since }) => `${part} since ${dateOf(since)} UTC: ${reason}`);
  return [`${health.toUpperCase()}: ${parts.join('; ')}`];
};

const databaseText = ({ state, size, newest_copy }: Status['database']): string =>
  `${state}, ${Math.ceil(size / 1024)} kB, newest copy ${dateOf(newest_copy)}`;

const dnsText = ({ queries, cached, forwarded, blocked, failed, refused }: Status['dns']): string => {
  const answered = `${cached} from the cache, ${forwarded} forwarded, ${blocked} blocked, ${failed} failed`;
  return `${queries} queries: ${answered}; ${refused} refused`;
};

const listenerText = ({ setting, address, port, problem }: Status['listeners'][number]): string =>
  `${setting} ${address} port ${port}${problem === null ? '' : `: ${problem}`}`;

const threadText = ({ name, state, restarts, last_failure }: Status['threads'][number]): string => {
  const times = restarts === 1 ? 'once' : `${restarts} times`;
  return `${name}: ${state}${restarts === 0 ? '' : `, replaced ${times}, last because: ${last_failure}`}`;
};

const certificateText = ({ source, valid_until, fingerprint }: NonNullable<Status['certificate']>): string =>
  `${source}, valid until ${dateOf(valid_until)}, SHA-256 ${fingerprint}`;

const dateOf = (unixSeconds: number | null): string =>
  unixSeconds === null
    ? 'none yet'
    : new Date(unixSeconds * 1000).toISOString().slice(0, 16).replace('T', ' ');
