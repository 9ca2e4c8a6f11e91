// Whether names can be resolved: without an upstream, or when every upstream that general names go to is
// dead, only local names and the cache are served. An upstream is dead when a worker has given it up after
// repeated failures and no worker has had a good reply since. Upstreams of single domains and networks do
// not count.

import type { DnsFigures } from '#engine';

type UpstreamFigures = DnsFigures['upstreams'][number];

/** The upstreams that names without a route of their own are asked from. */
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
  const texts = [...new Set([...askedFirst(general), ...general.fallback])];
  if (texts.length === 0) return noUpstream;
  const dead = new Set(figures.filter(isDead).map(({ text }) => text));
  if (!texts.every((text) => dead.has(text))) return undefined;
  return (
    `No upstream answers (${texts.join(', ')}). Local names and cached answers are served, all others ` +
    'fail. Check that this machine reaches them, or set others in dns.upstreams. They are asked again by ' +
    'themselves.'
  );
}

const askedFirst = ({ upstreams, system }: GeneralUpstreams): readonly string[] =>
  upstreams.length > 0 ? upstreams : system;

const isDead = ({ failedMs, repliedMs }: UpstreamFigures): boolean => failedMs > repliedMs;
