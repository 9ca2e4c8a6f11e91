// `sluice explain`: why a name is answered as it is, one line for each step of the decision. The sentences
// are those of the service; what decided is marked.

import { Option, type Command } from 'commander';
import type { ReplyBody } from '#contract';
import { clientNamed } from './clients/lookup.ts';
import type { CommandContext, Talk } from './context.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { refuse } from './failure.ts';
import { showJson, type ShowOptions } from './listing.ts';
import { jsonOption, withExamples, withOptions } from './options.ts';
import { printable, quoted } from './printable.ts';

interface ExplainOptions extends ShowOptions {
  readonly type?: string;
  readonly client?: string;
  /** False: upstreams are not asked. */
  readonly resolve: boolean;
}

type Explanation = ReplyBody<'getExplanation', 200>;

export const registerExplain = (program: Command, context: CommandContext): void => {
  const explain = program
    .command('explain')
    .description('tell why a name is answered as it is')
    .argument('<domain>', 'the name');
  withExamples(
    explain,
    'sluice explain ads.example.org',
    'sluice explain ads.example.org --client 192.168.1.5',
    'sluice explain ads.example.org --type AAAA --json',
  );
  withOptions(explain, [
    new Option('--type <type>', 'the type of the query: A, AAAA, HTTPS, …').default('A'),
    new Option(
      '--client <client>',
      'who asks: an address, range, MAC address, host name, :interface, or its comment; else this machine',
    ),
    new Option('--no-resolve', 'do not ask upstreams for what is not known'),
    jsonOption(),
  ]).action(async (domain: string, options: ExplainOptions) =>
    context.end(await explainName(context, domain, options)),
  );
};

const explainName = async (
  { call, terminal }: Talk,
  domain: string,
  { type, client: text, resolve, json }: ExplainOptions,
): Promise<ExitCode> => {
  const client = text === undefined ? undefined : await clientNamed(call, text);
  if (client?.ok === false) {
    terminal.error(client.problem);
    return exitCodes.failed;
  }
  const who = client === undefined ? {} : { client: client.value };
  const reply = await call('getExplanation', { query: { domain, type: type ?? 'A', resolve, ...who } });
  if (!reply.ok) return refuse(terminal, `${quoted(domain)} was not explained`, reply);
  if (json === true) return showJson(terminal, reply.body);
  terminal.print(explanationText(reply.body));
  return exitCodes.ok;
};

const verdicts: Readonly<Record<Explanation['verdict'], string>> = {
  pass: 'passed on',
  allow: 'allowed',
  block: 'blocked',
  local: 'answered by Sluice itself',
  refuse: 'refused',
};

export const explanationText = ({ domain, type, client, verdict, steps }: Explanation): string => {
  const width = Math.max(...steps.map(({ step }) => step.length));
  const lines = steps.map(
    ({ step, decides, text }) => `${decides ? '*' : ' '} ${step.padEnd(width)}  ${printable(text)}`,
  );
  return [`${printable(domain)} (${type}), asked by ${client}: ${verdicts[verdict]}`, ...lines].join('\n');
};
