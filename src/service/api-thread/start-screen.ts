// The screen that every start prints: where devices and people reach the service, what is in force, and what
// does not work, with the reason and the remedy. Pure functions from values to text; show-start.ts collects
// the values.

import {
  type Degradation,
  otherPortAdvice,
  type PortFinding,
  portFindings,
  portProblems,
  type UpstreamState,
} from '#control/health';
import type { Listening } from '#platform/sockets';

export interface StartScreen {
  readonly version: string;
  readonly dataDir: string;
  readonly listening: Listening;
  /** The setting dns.listen. */
  readonly dnsListen: string;
  /** The addresses at which other devices reach this machine, the best ones first. */
  readonly reachable: readonly string[];
  readonly urls: readonly string[];
  readonly password: readonly string[];
  readonly caFile: string | undefined;
  readonly blocking: BlockingFacts;
  /** Undefined while DNS is off. */
  readonly upstreams: readonly UpstreamState[] | undefined;
  readonly degraded: readonly Degradation[];
}

export interface BlockingFacts {
  readonly isOn: boolean;
  /** Names of all lists in force. */
  readonly names: number;
  /** Enabled lists with names or rules in force, and enabled lists without. */
  readonly lists: number;
  readonly missing: number;
  /** Enabled rules of the user. */
  readonly rules: number;
}

const nameWidth = 18;
const maxColumns = 100;
const maxAddresses = 6;
const dnsPort = 53;
const webClosed = 'the web interface is not open; `sluice status` shows why';

export function screenText(screen: StartScreen): string {
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ['DNS for devices', dnsLines(screen.reachable, screen.listening.dns, screen.dnsListen)],
    ['Web interface', screen.urls.length > 0 ? screen.urls : [webClosed]],
    ['Password', screen.password],
    ['Trust HTTPS', screen.caFile === undefined ? [] : [`import ${screen.caFile} into your browser`]],
    ['Blocking', [blockingLine(screen.blocking)]],
    ['Upstreams', upstreamLines(screen.upstreams)],
    ['Data folder', [screen.dataDir]],
    ['Ports', portLines(screen.listening)],
    ['Degraded', degradedLines(screen)],
  ];
  const lines = sections.flatMap(([name, texts]) =>
    texts
      .flatMap((text) => wrapped(text, maxColumns - nameWidth - 2))
      .map((text, index) => `  ${(index === 0 ? name : '').padEnd(nameWidth)}${text}`),
  );
  return ['', `Sluice ${screen.version} is running.`, '', ...lines, '', ''].join('\n');
}

/** What to enter on a device; other devices cannot reach loopback addresses. */
export function dnsLines(
  reachable: readonly string[],
  dns: Listening['dns'],
  dnsListen: string,
): readonly string[] {
  if (dnsListen === '') return ['DNS is off (dns.listen is empty)'];
  const answered = dns.filter(({ isAnswered }) => isAnswered);
  const [first] = answered;
  if (first === undefined) return [`DNS is not answered: dns.listen (${dnsListen}) is not open yet`];
  const outside = answered.filter(({ address }) => !isLocal(address));
  if (outside.length === 0)
    return [`only this machine can use it, at ${endpointText(first)}; set dns.listen for others`];
  const ranked = outside.toSorted((one, other) => rankOf(one, reachable) - rankOf(other, reachable));
  const isUsual = ranked[0]?.port === dnsPort;
  const shown = ranked.filter(({ port }) => !isUsual || port === dnsPort);
  return [...shown.slice(0, maxAddresses).map(endpointText), ...(isUsual ? [] : [otherPortAdvice])];
}

/** Port 53 first, then the order of the machine's addresses. */
function rankOf({ address, port }: Listening['dns'][number], reachable: readonly string[]): number {
  const at = reachable.indexOf(address);
  return (port === dnsPort ? 0 : 1_000) + (at < 0 ? reachable.length : at);
}

function endpointText({ address, port }: Listening['dns'][number]): string {
  return port === dnsPort ? address : `${address}, port ${port}`;
}

/** Link-local addresses need a zone, which devices cannot enter. */
function isLocal(address: string): boolean {
  return /^(?:127\.|::1$|fe[89ab])/iu.test(address);
}

export function blockingLine({ isOn, names, lists, missing, rules }: BlockingFacts): string {
  // Without `toLocaleString`, whose first call costs milliseconds.
  const grouped = String(names).replaceAll(/\B(?=(?:\d{3})+$)/gu, ',');
  const inForce = `${grouped} names of ${counted(lists, 'list')}, ${counted(rules, 'own rule')}`;
  const waiting =
    missing === 0 ? '' : `; ${counted(missing, 'list')} not in force yet, \`sluice lists\` shows why`;
  return `${isOn ? '' : 'off; ready: '}${inForce}${waiting}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function upstreamLines(upstreams: readonly UpstreamState[] | undefined): readonly string[] {
  if (upstreams === undefined) return ['not used: DNS is off'];
  if (upstreams.length === 0) return ['none: set dns.upstreams, for example to 9.9.9.9'];
  return upstreams.map(({ text, answers }) => `${text} ${answerText(answers)}`);
}

function answerText(answers: boolean | undefined): string {
  if (answers === undefined) return 'has not answered yet';
  return answers ? 'answers' : 'does not answer';
}

const labels = [
  ['dns.listen', 'DNS'],
  ['web.http', 'HTTP'],
  ['web.https', 'HTTPS'],
] as const;

/** The ports that are open, then those that are not: settings with the same reason share a line. */
export function portLines(listening: Listening): readonly string[] {
  const findings = portFindings(listening);
  const ordered = labels.flatMap(([name]) => findings.filter(({ setting }) => setting === name));
  const groups = Map.groupBy(ordered, ({ reason }) => reason);
  return [openPorts(listening), ...[...groups.values()].flatMap(groupLines)];
}

function openPorts(listening: Listening): string {
  const texts = labels.flatMap(([setting, label]) => {
    const ports = [...new Set(portsOf(listening, setting))];
    return ports.length === 0 ? [] : [`${label} ${ports.join(' and ')}`];
  });
  return texts.length === 0 ? 'none is open' : texts.join(', ');
}

/** For DNS those that other devices reach, where there are any. */
function portsOf({ open, dns }: Listening, name: string): readonly number[] {
  if (name !== 'dns.listen')
    return open.filter(({ setting }) => setting === name).map(({ listener }) => listener.port);
  const outside = dns.filter(({ address }) => !isLocal(address));
  return (outside.length > 0 ? outside : dns).map(({ port }) => port);
}

function groupLines(group: readonly PortFinding[]): readonly string[] {
  const [first] = group;
  if (first === undefined) return [];
  if (first.code === '') return group.map(({ reason }) => reason);
  const closed = group.map(({ setting, where }) => `${where} (${setting})`).join(', ');
  const isReplaced = group.some(({ instead }) => instead !== undefined);
  const again = first.code === 'EACCES' ? '' : ' Sluice opens the port within seconds when it is free.';
  return [`${isReplaced ? 'instead of' : 'not'} ${closed}: ${first.reason}${again}`];
}

/** Reasons that the ports section has already are not repeated. */
function degradedLines({ degraded, listening }: StartScreen): readonly string[] {
  if (degraded.length === 0) return ['nothing'];
  const reasonOf = (...settings: readonly string[]): string =>
    settings.flatMap((setting) => portProblems(listening, setting)).join(' ');
  const known = new Set([reasonOf('dns.listen'), reasonOf('web.http', 'web.https')]);
  return degraded.map(({ part, reason }) => `${part}: ${known.has(reason) ? 'see Ports' : reason}`);
}

/** Lines of at most this length; a longer word has its own line. A command in backticks is one word. */
function wrapped(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.match(/`[^`]*`\S*|\S+/gu) ?? []) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= columns)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
