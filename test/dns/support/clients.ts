// dig and kdig as DNS clients: the tools that people use to check a resolver, and strict about replies.
// Several questions go into one call of the program, because most of the cost is its start.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export type Client = 'dig' | 'kdig';

/** One reply, as parsed by the client. */
export type Seen = {
  readonly status: string;
  /** The flags of the header: qr, aa, tc, rd, ra, ad, cd. */
  readonly flags: readonly string[];
  /** Each record in one line with single blanks: `name. ttl class type data`. */
  readonly answer: readonly string[];
  readonly authority: readonly string[];
  readonly question: string;
  /** The EDNS line; empty without EDNS. */
  readonly edns: string;
  /** The codes of extended errors (RFC 8914). */
  readonly extendedErrors: readonly number[];
  readonly sizeBytes: number;
  readonly text: string;
};

const packages: Readonly<Record<string, string>> = {
  dig: 'dnsutils',
  kdig: 'knot-dnsutils',
  unbound: 'unbound',
  dnsmasq: 'dnsmasq-base',
  dnsperf: 'dnsperf',
};

const run = promisify(execFile);
const maxClientMs = 120_000;
const maxOutputBytes = 16_777_216;

/** The output of a program, also when the program fails. */
export const runTool = async (
  wrap: readonly string[],
  program: string,
  args: readonly string[],
): Promise<string> => {
  const [file = program, ...rest] = [...wrap, program, ...args];
  try {
    const options = { encoding: 'utf8', timeout: maxClientMs, maxBuffer: maxOutputBytes } as const;
    const { stdout, stderr } = await run(file, rest, options);
    return stdout + stderr;
  } catch (error) {
    if (isMissing(error)) throw new Error(missing(program), { cause: error });
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
  }
};

export const missing = (program: string): string =>
  `${program} is missing: install the Debian package ${packages[program] ?? program}.`;

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 127);

/** The server to query, and options for all questions. */
export type Server = {
  readonly address: string;
  readonly port: number;
  readonly wrap?: readonly string[];
  readonly options?: readonly string[];
};

/**
 * Sends the questions one after the other. A question is written as on the command line of the client and
 * begins with the name. Returns the replies in the same order; fails if one is missing.
 */
export const runQueries = async (
  client: Client,
  { address, port, wrap = [], options = [] }: Server,
  questions: readonly string[],
): Promise<readonly Seen[]> => {
  const usual = ['+tries=1', '+time=10', ...options].map(client === 'dig' ? same : asKdig);
  const everywhere = ['-p', String(port), `@${address}`, ...usual];
  const asked = questions.flatMap((question) => question.split(' '));
  const output = await runTool(wrap, client, [...everywhere, ...asked]);
  const replies = output.split(/^(?=;; ->>HEADER<<-)/mu).filter((text) => text.startsWith(';; ->>'));
  if (replies.length !== questions.length)
    throw new Error(`${replies.length} replies to ${questions.length} questions:\n${output}`);
  return replies.map(read);
};

export const runQuery = async (client: Client, server: Server, question: string): Promise<Seen> => {
  const [seen] = await runQueries(client, server, [question]);
  if (seen === undefined) throw new Error(`No reply for ${question}.`);
  return seen;
};

const same = (option: string): string => option;
const asKdig = (option: string): string => option.replace('+tries=1', '+retry=0');

const read = (text: string): Seen => ({
  status: first(text, /status: (\w+)/u).replace('NOTIMPL', 'NOTIMP'),
  flags: first(text, /^;; [Ff]lags: ([a-z ]*);/mu)
    .split(' ')
    .filter((flag) => flag !== ''),
  answer: section(text, 'ANSWER'),
  authority: section(text, 'AUTHORITY'),
  question: first(text, /QUESTION SECTION:\n;+ ?(\S+)/u),
  edns: first(text, /^;;? (?:EDNS: )?([Vv]ersion: .*)$/mu),
  extendedErrors: [...text.matchAll(/EDE: (\d+)/gu)].map(([, code]) => Number(code)),
  sizeBytes: Number(first(text, /(?:MSG SIZE {2}rcvd: |Received )(\d+)/u)),
  text,
});

/** The first capture group of the pattern; empty without a match. */
const first = (text: string, pattern: RegExp): string => pattern.exec(text)?.[1] ?? '';

const section = (text: string, name: string): readonly string[] => {
  const found = new RegExp(`^;; ${name} SECTION:\n((?:[^;\n].*\n?)*)`, 'mu').exec(text);
  const lines = (found?.[1] ?? '').split('\n').filter((line) => line !== '');
  return lines.map((line) => line.replaceAll(/\s+/gu, ' '));
};
