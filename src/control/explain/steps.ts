// An explanation as the API tells it: the steps of a decision in their order, up to the one that decided, and
// the whole in one sentence.

import type { Explained } from '#engine';
import { clientStep } from './client-steps.ts';
import { blockingStep, groupsStep } from './group-steps.ts';
import type { ExplanationBody, Step, StepOf, ExplanationInput } from './explanation-input.ts';
import { toldRules } from './rule-results.ts';
import { answerText, judgedText, rcodeText } from './words.ts';

export function explanationBody(told: ExplanationInput): ExplanationBody {
  const { asked, explained } = told;
  const steps = stepsOf(told);
  return { ...asked, verdict: verdictOf(explained), reason: reasonOf(told, steps), steps };
}

function stepsOf(told: ExplanationInput): Step[] {
  const { explained } = told;
  if (explained.decidedBy === 'client') return [clientStep(told), ...answerStep(told)];
  return [
    clientStep(told),
    groupsStep(told),
    blockingStep(told),
    localStep(told),
    ...(explained.rules === undefined ? [] : [rulesStep(told, explained.rules)]),
    ...(explained.isSpecial === true ? [specialStep] : []),
    ...(explained.cache === undefined ? [] : [cacheStep(told, explained.cache)]),
    ...(explained.upstream === undefined ? [] : [upstreamStep(explained.upstream)]),
    ...targetSteps(told),
    ...answerStep(told),
  ];
}

function verdictOf({ decidedBy, rules, targets }: Explained): ExplanationBody['verdict'] {
  if (decidedBy === 'rules') return rules?.verdict ?? 'pass';
  if (decidedBy === 'targets') return targets.find(({ decides }) => decides)?.verdict ?? 'pass';
  return verdicts[decidedBy];
}

/** Of steps that decide in one way only. */
const verdicts = { client: 'refuse', local: 'local', special: 'block', nothing: 'pass' } as const;

const localTexts: Readonly<Record<StepOf<'local'>['kind'], string>> = {
  records: 'There is a local record of this name',
  own: 'This is a name of this machine',
  absent: 'Names like this are never sent out, and there is none',
  empty: 'There are local names below this one, and nothing for itself',
  forward: 'Another resolver is set for this name',
  any: 'Questions of this type are not passed on',
  unknown: 'This is no name of our own',
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

function rulesStep(told: ExplanationInput, judged: NonNullable<Explained['rules']>): StepOf<'rules'> {
  const { decidedBy } = told.explained;
  const { domain } = told.asked;
  const { verdict, row, because = null } = judged;
  const rules = toldRules(told, judged.rules);
  const decides = decidedBy === 'rules';
  const text = judgedText(domain, rules, verdict);
  return { step: 'rules', decides, text, about: domain, verdict, row, because, rules };
}

const specialStep: StepOf<'special'> = {
  step: 'special',
  decides: true,
  special: true,
  text:
    'Devices ask for this name to find out how they may behave; it is answered so that they stay with ' +
    'this resolver (dns.specialDomains).',
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
  const what = isFailure ? 'A failure is kept' : 'The answer is in the cache';
  switch (state) {
    case 'none':
      return 'The answer is not in the cache.';
    case 'gone':
      return 'The answer in the cache is too old to be used.';
    case 'stale':
      return `${what}${from}; it is ${-ttlSeconds} s too old, and still given while it is asked for again.`;
    case 'fresh':
      return `${what} for another ${ttlSeconds} s${from}.`;
  }
}

const outcomeTexts = {
  'no upstream': 'There is nobody to ask: set dns.upstreams.',
  loop: 'All upstreams lead back to this resolver: look at dns.upstreams.',
  timeout: 'No upstream answered in time.',
  unreachable: 'No upstream can be reached.',
  malformed: 'The upstreams that replied sent malformed messages: ask another one, see dns.upstreams.',
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
  if (outcome === 'answered') return `${answeredBy} was asked for this explanation, and answered.`;
  if (outcome !== undefined) return outcomeTexts[outcome];
  const [first] = upstreams;
  if (first === undefined) return outcomeTexts['no upstream'];
  return `${first.text} would be asked${isRouted ? ', which is set for this name' : ''}.`;
}

function targetSteps(told: ExplanationInput): readonly StepOf<'target'>[] {
  return told.explained.targets.map((target) => {
    const { kind, via, about, decides, verdict, row, because = null } = target;
    const rules = toldRules(told, target.rules);
    const text = `It leads to ${about} (${via}). ${judgedText(about, rules, verdict)}`;
    const judged = { about, verdict, row, because, rules };
    return { step: 'target', decides, text, kind, via, ...judged };
  });
}

function answerStep({ explained: { answer } }: ExplanationInput): readonly StepOf<'answer'>[] {
  if (answer === undefined) return [];
  const { records, recordCount, isBlockedThere, hidesPrivate } = answer;
  const there = isBlockedThere ? ' The upstream says that it blocks this name.' : '';
  const hidden = hidesPrivate ? ' Private addresses were taken out of it (dns.rebindProtection).' : '';
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

/** The step that decided says why; when none did, nothing stood in the way. */
function reasonOf(told: ExplanationInput, steps: readonly Step[]): string {
  const deciding = steps.find(({ decides }) => decides);
  if (deciding === undefined) return passedText(told);
  const isFreed = deciding.step === 'groups' || deciding.step === 'blocking';
  return isFreed ? `${deciding.text} That is why ${told.asked.domain} is passed on.` : deciding.text;
}

function passedText({ asked, explained, worker }: ExplanationInput): string {
  const { upstream, cache } = explained;
  const passed = `No rule blocks ${asked.domain}: it is passed on.`;
  if (worker === '') return `${passed} DNS is not answered now, so that nobody was asked.`;
  const failed = upstream?.outcome;
  if (failed !== undefined && failed !== 'answered') return `${passed} ${outcomeTexts[failed]}`;
  return cache?.state === 'fresh' || cache?.state === 'stale'
    ? `${passed} The answer is in the cache.`
    : passed;
}
