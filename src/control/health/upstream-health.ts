// Whether names can be resolved. Without a working general upstream, only local names and cached answers are
// served. An upstream is dead when a worker has given it up after repeated failures and no worker has had a
// good reply since. Upstreams of single domains and networks do not count.

import type { DnsFigures } from '#engine';

type UpstreamFigures = DnsFigures['upstreams'][number];

/** The upstreams for names without a special route. */
export interface GeneralUpstreams {
  readonly upstreams: readonly string[];
  readonly system: readonly string[];
  readonly fallback: readonly string[];
}

const noUpstream =
  'No upstream resolver is configured: dns.upstreams is empty, and the system names no other resolver. ' +
  'Local names are answered, all others fail. Set dns.upstreams, for example to 9.9.9.9.';

export function upstreamProblem(
  general: GeneralUpstreams | undefined,
  figures: readonly UpstreamFigures[],
): string | undefined {
  if (general === undefined) return undefined;
  const texts = [...new Set([...primaries(general), ...general.fallback])];
  if (texts.length === 0) return noUpstream;
  const dead = new Set(figures.filter(isDead).map(({ text }) => text));
  if (!texts.every((text) => dead.has(text))) return undefined;
  return (
    `No upstream answers (${texts.join(', ')}). Local names and cached answers are served, all others ` +
    'fail. Check that this machine reaches them, or set others in dns.upstreams. Sluice keeps trying them.'
  );
}

export interface UpstreamState {
  readonly text: string;
  /** Undefined while no worker has had a reply or given it up. */
  readonly answers: boolean | undefined;
}

/** The general upstreams in the order of the settings, without fallbacks. */
export function upstreamStates(
  general: GeneralUpstreams,
  figures: readonly UpstreamFigures[],
): readonly UpstreamState[] {
  const known = new Map(figures.map((row) => [row.text, row]));
  return primaries(general).map((text) => {
    const { repliedMs, failedMs } = known.get(text) ?? { repliedMs: 0, failedMs: 0 };
    return { text, answers: repliedMs === failedMs ? undefined : repliedMs > failedMs };
  });
}

function primaries({ upstreams, system }: GeneralUpstreams): readonly string[] {
  return upstreams.length > 0 ? upstreams : system;
}

function isDead({ failedMs, repliedMs }: UpstreamFigures): boolean {
  return failedMs > repliedMs;
}
