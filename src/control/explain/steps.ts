// Builds the reply of the API to a request for an explanation: the steps of a decision in their order, and
// the reason in one sentence.

import type { Explained } from '#engine';
import { clientStep } from './client-steps.ts';
import { blockingStep, groupsStep } from './group-steps.ts';
import type { ExplanationBody, Step, StepOf, ExplanationInput } from './explanation-input.ts';
import { ruleResults } from './rule-results.ts';
import { answerText, judgedText, rcodeText } from './words.ts';

export function explanationBody(input: ExplanationInput): ExplanationBody {
  const { asked, explained } = input;
  const steps = stepsOf(input);
  return { ...asked, verdict: verdictOf(explained), reason: reasonOf(input, steps), steps };
}

function stepsOf(input: ExplanationInput): Step[] {
  const { explained } = input;
  if (explained.decidedBy === 'client') return [clientStep(input), ...answerStep(input)];
  return [
    clientStep(input),
    groupsStep(input),
    blockingStep(input),
    localStep(input),
    ...(explained.rules === undefined ? [] : [rulesStep(input, explained.rules)]),
    ...(explained.isSpecial === true ? [specialStep] : []),
    ...(explained.cache === undefined ? [] : [cacheStep(input, explained.cache)]),
    ...(explained.upstream === undefined ? [] : [upstreamStep(explained.upstream)]),
    ...targetSteps(input),
    ...answerStep(input),
  ];
}

function verdictOf({ decidedBy, rules, targets }: Explained): ExplanationBody['verdict'] {
  if (decidedBy === 'rules') return rules?.verdict ?? 'pass';
  if (decidedBy === 'targets') return targets.find(({ decides }) => decides)?.verdict ?? 'pass';
  return verdicts[decidedBy];
}

/** Of steps that have only one possible verdict. */
const verdicts = { client: 'refuse', local: 'local', special: 'block', nothing: 'pass' } as const;

const localTexts: Readonly<Record<StepOf<'local'>['kind'], string>> = {
  records: 'There is a local record for this name',
  own: 'This is a name of this machine',
  absent: 'Names like this are never forwarded, and there is no local record',
  empty: 'There are local records for subdomains of this name, but none for the name itself',
  forward: 'A special resolver is set for this name',
  any: 'Queries of this type are not forwarded',
  unknown: 'This is not a local name',
};

function localStep({ explained: { local, decidedBy } }: ExplanationInput): StepOf<'local'> {
  const kind = local?.kind ?? 'unknown';
  const aliases = [...(local?.aliases ?? [])];
  const leads = aliases.length === 0 ? '' : `, an alias of ${aliases.join(', then of ')}`;
  return {
    step: 'local',
    decides: decidedBy === 'local',
    text: `${localTexts[kind]}${leads}.`,
    kind,
    aliases,
  };
}

function rulesStep(input: ExplanationInput, judged: NonNullable<Explained['rules']>): StepOf<'rules'> {
  const { decidedBy } = input.explained;
  const { domain } = input.asked;
  const { verdict, row, because = null } = judged;
  const rules = ruleResults(input, judged.rules);
  const decides = decidedBy === 'rules';
  const text = judgedText(domain, rules, verdict);
  return { step: 'rules', decides, text, about: domain, verdict, row, because, rules };
}

const specialStep: StepOf<'special'> = {
  step: 'special',
  decides: true,
  special: true,
  text:
    'Devices query this name to decide whether to bypass this resolver; the answer makes them keep using ' +
    'it (dns.specialDomains).',
};

function cacheStep({ worker }: ExplanationInput, cache: NonNullable<Explained['cache']>): StepOf<'cache'> {
  const { state, ttlSeconds: ttl, ageSeconds: age, isFailure: failure } = cache;
  const upstream = cache.upstream === '' ? null : cache.upstream;
  return {
    step: 'cache',
    decides: false,
    text: cacheText(cache),
    state,
    ttl,
    age,
    failure,
    upstream,
    worker,
  };
}

function cacheText({ state, ttlSeconds, upstream, isFailure }: NonNullable<Explained['cache']>): string {
  const from = upstream === '' ? '' : `, from ${upstream}`;
  const what = isFailure ? 'A failure is in the cache' : 'The answer is in the cache';
  switch (state) {
    case 'none':
      return 'The answer is not in the cache.';
    case 'gone':
      return 'The answer in the cache is too old to be used.';
    case 'stale':
      return `${what}${from}; it expired ${-ttlSeconds} s ago and is still served while it is refreshed.`;
    case 'fresh':
      return `${what} for another ${ttlSeconds} s${from}.`;
  }
}

const outcomeTexts = {
  'no upstream': 'No upstream resolver is configured: set dns.upstreams.',
  loop: 'All upstreams lead back to this resolver: check dns.upstreams.',
  timeout: 'No upstream answered in time.',
  unreachable: 'No upstream can be reached.',
  malformed: 'The upstreams sent malformed replies: choose other ones in dns.upstreams.',
  busy: 'Too many queries are in flight.',
} as const;

function upstreamStep(look: NonNullable<Explained['upstream']>): StepOf<'upstream'> {
  const { isRouted: routed, mode, outcome = null, answeredBy } = look;
  const upstreams = look.upstreams.map(({ text, state, rttMs }) => ({
    upstream: text,
    state,
    rtt_ms: rttMs < 0 ? null : Math.round(rttMs * 10) / 10,
  }));
  const answered_by = answeredBy === '' ? null : answeredBy;
  return {
    step: 'upstream',
    decides: false,
    text: upstreamText(look),
    routed,
    mode,
    upstreams,
    outcome,
    answered_by,
  };
}

function upstreamText({
  outcome,
  answeredBy,
  upstreams,
  isRouted,
}: NonNullable<Explained['upstream']>): string {
  if (outcome === 'answered') return `${answeredBy} was queried for this explanation and answered.`;
  if (outcome !== undefined) return outcomeTexts[outcome];
  const [first] = upstreams;
  if (first === undefined) return outcomeTexts['no upstream'];
  return `${first.text} would be queried${isRouted ? ', which is set for this name' : ''}.`;
}

function targetSteps(input: ExplanationInput): readonly StepOf<'target'>[] {
  return input.explained.targets.map((target) => {
    const { kind, via, about, decides, verdict, row, because = null } = target;
    const rules = ruleResults(input, target.rules);
    const text = `It leads to ${about} (${via}). ${judgedText(about, rules, verdict)}`;
    const judged = { about, verdict, row, because, rules };
    return { step: 'target', decides, text, kind, via, ...judged };
  });
}

function answerStep({ explained: { answer } }: ExplanationInput): readonly StepOf<'answer'>[] {
  if (answer === undefined) return [];
  const { records, recordCount, isBlockedThere, hidesPrivate } = answer;
  const there = isBlockedThere ? ' The upstream says that it blocks this name.' : '';
  const hidden = hidesPrivate ? ' Private addresses were removed from it (dns.rebindProtection).' : '';
  return [
    {
      step: 'answer',
      decides: false,
      text: `${answerText(answer)}${there}${hidden}`,
      rcode: answer.isSent ? rcodeText(answer.rcode) : 'NONE',
      records: [...records],
      record_count: recordCount,
      blocked_upstream: isBlockedThere,
      private_removed: hidesPrivate,
    },
  ];
}

/** The text of the step that decided; without one, the name is forwarded. */
function reasonOf(input: ExplanationInput, steps: readonly Step[]): string {
  const deciding = steps.find(({ decides }) => decides);
  if (deciding === undefined) return passedText(input);
  const isFreed = deciding.step === 'groups' || deciding.step === 'blocking';
  return isFreed ? `${deciding.text} Therefore ${input.asked.domain} is not blocked.` : deciding.text;
}

function passedText({ asked, explained, worker }: ExplanationInput): string {
  const { upstream, cache } = explained;
  const passed = `No rule blocks ${asked.domain}.`;
  if (worker === '') return `${passed} DNS is not answered now, so no upstream was queried.`;
  const failed = upstream?.outcome;
  if (failed !== undefined && failed !== 'answered') return `${passed} ${outcomeTexts[failed]}`;
  return cache?.state === 'fresh' || cache?.state === 'stale'
    ? `${passed} The answer is in the cache.`
    : passed;
}
