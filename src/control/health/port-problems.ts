// What is wrong with the ports of a setting, as sentences for people. An address that cannot be opened is one
// row for each local address, and all of them usually have the same reason: they become one finding, which
// also says which port is used in the meantime.

import { cannotListen, type Listening } from '#platform/sockets';

/** Addresses of a setting that are closed for the same reason. */
export interface PortFinding {
  readonly setting: string;
  /** The addresses as text. */
  readonly where: string;
  /** The usual port. */
  readonly port: number;
  readonly code: string;
  readonly reason: string;
  /** The port that is used in the meantime. */
  readonly instead: number | undefined;
}

/** More addresses than these are counted. */
const maxNamed = 3;
const dnsPort = 53;

export function portFindings({
  closed,
  replaced,
}: Pick<Listening, 'closed' | 'replaced'>): readonly PortFinding[] {
  const groups = Map.groupBy(closed, ({ setting, wanted, reason }) => `${setting} ${wanted} ${reason}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { setting, wanted, port, code, reason } = first;
    const instead = replaced.find((one) => one.setting === setting && one.wanted === wanted)?.port;
    const where = instead === undefined ? namesOf(group.map((row) => row.where)) : wanted;
    return [{ setting, where, port, code, reason, instead }];
  });
}

function namesOf(all: readonly string[]): string {
  const more = all.length - maxNamed;
  return all.slice(0, maxNamed).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** The findings about one setting as sentences. */
export function portProblems(
  listening: Pick<Listening, 'closed' | 'replaced'>,
  setting: string,
): readonly string[] {
  return portFindings(listening)
    .filter((finding) => finding.setting === setting)
    .map(problemText);
}

function problemText(finding: PortFinding): string {
  const { setting, where, code, reason } = finding;
  // Without a code the reason is the whole sentence.
  return (code === '' ? reason : cannotListen(setting, where, reason)) + meanwhile(finding);
}

function meanwhile({ setting, port, code, instead }: PortFinding): string {
  if (instead === undefined) return '';
  const used =
    setting === 'dns.listen'
      ? ` Until then DNS is answered on port ${instead}. ${otherPortAdvice}`
      : ` Until then port ${instead} is used.`;
  return code === 'EACCES' ? used : `${used} Port ${port} is opened within seconds when it is free.`;
}

/** For every DNS port other than 53. */
export const otherPortAdvice = `Routers and phones cannot use it: they send DNS only to port ${dnsPort}.`;
