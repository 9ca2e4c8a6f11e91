// The handler of explanations: parses the request, gets the decision of a dns worker, and adds what only this
// thread knows. When no worker runs, the policy on disk decides instead.

import { fail, type Failure } from '#contract';
import type { Explained, Inquiry, MetRule } from '#engine';
import { canonicalDomain, type ClientText, readClient } from '#control/clients';
import {
  explanationBody,
  type ExplanationOutcome,
  type ExplanationWanted,
  type Known,
  rulesIn,
} from '#control/explain';
import type { Handlers, Request } from '../http/handler.ts';
import type { FoundRule } from '#lists/search';

export interface ExplainParts {
  /** Lets a dns worker explain how it would answer. */
  readonly explain: (wanted: ExplanationWanted) => Promise<ExplanationOutcome>;
  /** The same without a worker, from the policy on disk. */
  readonly explainOffline: (inquiry: Inquiry) => Promise<Explained | undefined>;
  readonly lines: (rules: readonly MetRule[]) => Promise<readonly FoundRule[]>;
  readonly known: () => Known;
}

/** Limited, because each request may start a thread that reads lists. */
const maxConcurrent = 4;

type Parsed = { readonly inquiry: Inquiry; readonly asked: { domain: string; type: string; client: string } };
type Wrong = Failure<'invalidDomain' | 'invalidClient' | 'unknownType'>;

export function createExplainHandlers(parts: ExplainParts): Pick<Handlers, 'getExplanation'> {
  let running = 0;
  return {
    getExplanation: async (request) => {
      if (running >= maxConcurrent) return tooMany();
      running++;
      try {
        return await explain(parts, request);
      } finally {
        running--;
      }
    },
  };
}

async function explain(parts: ExplainParts, request: Request<'getExplanation'>) {
  const parsed = await parseQuery(request);
  if ('failure' in parsed) return parsed;
  const { inquiry, asked } = parsed;
  const outcome = await parts.explain({ inquiry, resolves: request.query.resolve ?? true });
  if (outcome.kind === 'busy') return tooMany();
  const explained = outcome.kind === 'explained' ? outcome.explained : await parts.explainOffline(inquiry);
  if (explained === undefined)
    return fail('unavailable', 'No dns worker runs, and there is no stored policy yet: see /api/status.');
  const worker = outcome.kind === 'explained' ? outcome.worker : '';
  const lines = await parts.lines(rulesIn(explained));
  return {
    status: 200 as const,
    body: explanationBody({ ...parts.known(), asked, explained, worker, lines }),
  };
}

function tooMany(): Failure<'tooManyRequests'> {
  return fail('tooManyRequests', 'Too many explanations are running.', {
    headers: { 'retry-after': '1' },
  });
}

async function parseQuery({ query, from }: Request<'getExplanation'>): Promise<Parsed | Wrong> {
  const { nameFromText, nameToText, typeFromText, typeText } = await import('#wire');
  const unusual = unusualName.test(query.domain) ? query.domain : '';
  const name = nameFromText(canonicalDomain(query.domain) ?? unusual);
  if (name === undefined)
    return fail('invalidDomain', `${query.domain}: write ads.example.org, and other signs as \\032.`);
  const type = typeFromText(query.type ?? 'A');
  if (type === undefined)
    return fail('unknownType', `${query.type}: write A, AAAA, HTTPS or, by its number, TYPE65280.`);
  const text = query.client ?? callerAddress(from().address);
  const client = readClient(text);
  if (client === undefined)
    return fail('invalidClient', `${text} is no address, range, MAC address, host name or :interface.`);
  return {
    inquiry: { name, type, ...clientOf(client) },
    asked: { domain: nameToText(name), type: typeText(type), client: client.text },
  };
}

/** Names that no rule has, but queries may: the root, hyphens at the edges, escaped characters. */
const unusualName = /^(?:[\w.-]|\\\d{3}|\\\D)+$/;

const noAddress = new Uint8Array(16);

/** A range stands for its first address. */
function clientOf(client: ClientText): Pick<Inquiry, 'client' | 'traits'> {
  if ('words' in client)
    return { client: Uint8Array.from(client.words.flatMap((word) => [word >> 8, word & 0xff])) };
  const { kind, text } = client;
  if (kind === 'mac') return { client: noAddress, traits: { mac: text } };
  if (kind === 'host') return { client: noAddress, traits: { hostName: text } };
  return { client: noAddress, traits: { interface: text.slice(1) } };
}

/** A caller on the control socket is on this machine. */
function callerAddress(address: string): string {
  return address === 'local' ? '127.0.0.1' : (address.split('%', 1)[0] ?? address);
}
