// `sluice explain`: shows why a name is blocked or not, one line for each step of the decision. The sentences
// come from the service; an asterisk marks the step that decided.

import { Option, type Command } from 'commander';
import type { ReplyBody } from '#contract';
import { findClient } from './clients/lookup.ts';
import type { CommandContext, Talk } from './context.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { fail, refuse } from './failure.ts';
import { showJson, type ShowOptions } from './listing.ts';
import { jsonOption, withExamples, withOptions } from './options.ts';
import { printable, quoted } from './printable.ts';

interface ExplainOptions extends ShowOptions {
  readonly type?: string;
  readonly client?: string;
  /** False: upstreams are not queried. */
  readonly resolve: boolean;
}

type Explanation = ReplyBody<'getExplanation', 200>;

export function registerExplain(program: Command, context: CommandContext): void {
  const explain = program
    .command('explain')
    .description('show why a name is blocked or not, step by step')
    .argument('<domain>', 'the name');
  withExamples(
    explain,
    'sluice explain ads.example.org',
    'sluice explain ads.example.org --client 192.168.1.5',
    'sluice explain ads.example.org --type AAAA --json',
  );
  withOptions(explain, [
    new Option('--type <type>', 'the query type: A, AAAA, HTTPS, …').default('A'),
    new Option(
      '--client <client>',
      'for this client: an address, range, MAC address, host name, :interface, or its comment',
    ),
    new Option('--no-resolve', 'do not query upstreams if the answer is not cached'),
    jsonOption(),
  ]).action(async (domain: string, options: ExplainOptions) =>
    context.end(await explainName(context, domain, options)),
  );
}

async function explainName(
  { call, terminal }: Talk,
  domain: string,
  { type, client: text, resolve, json }: ExplainOptions,
): Promise<ExitCode> {
  const client = text === undefined ? undefined : await findClient(call, text);
  if (client?.ok === false) return fail(terminal, client.problem);
  const clientQuery = client === undefined ? {} : { client: client.value };
  const reply = await call('getExplanation', {
    query: { domain, type: type ?? 'A', resolve, ...clientQuery },
  });
  if (!reply.ok) return refuse(terminal, `${quoted(domain)} cannot be explained`, reply);
  if (json === true) return showJson(terminal, reply.body);
  terminal.print(explanationText(reply.body));
  return exitCodes.ok;
}

const verdicts: Readonly<Record<Explanation['verdict'], string>> = {
  pass: 'not blocked',
  allow: 'allowed',
  block: 'blocked',
  local: 'answered by Sluice itself',
  refuse: 'refused',
};

export function explanationText({ domain, type, client, verdict, steps }: Explanation): string {
  const width = Math.max(...steps.map(({ step }) => step.length));
  const lines = steps.map(
    ({ step, decides, text }) => `${decides ? '*' : ' '} ${step.padEnd(width)}  ${printable(text)}`,
  );
  return [`${printable(domain)} (${type}), queried by ${client}: ${verdicts[verdict]}`, ...lines].join('\n');
}
