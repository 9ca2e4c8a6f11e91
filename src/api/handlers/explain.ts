// The handler of explanations: reads what is asked, lets a dns worker tell its decision, and adds what only
// this thread knows. When no worker runs, the policy on the disk is asked instead.

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
  /** One dns worker tells how it would answer. */
  readonly explain: (wanted: ExplanationWanted) => Promise<ExplanationOutcome>;
  /** The same without any, by what lies on the disk. */
  readonly explainOffline: (inquiry: Inquiry) => Promise<Explained | undefined>;
  readonly lines: (rules: readonly MetRule[]) => Promise<readonly FoundRule[]>;
  readonly known: () => Known;
}

/** At once; each may start a thread that reads lists. */
const atOnceMax = 4;

type Parsed = { readonly inquiry: Inquiry; readonly asked: { domain: string; type: string; client: string } };
type Wrong = Failure<'invalidDomain' | 'invalidClient' | 'unknownType'>;

export function createExplainHandlers(parts: ExplainParts): Pick<Handlers, 'getExplanation'> {
  let underWay = 0;
  return {
    getExplanation: async (request) => {
      if (underWay >= atOnceMax) return tooMany();
      underWay++;
      try {
        return await explain(parts, request);
      } finally {
        underWay--;
      }
    },
  };
}

async function explain(parts: ExplainParts, request: Request<'getExplanation'>) {
  const parsed = await readQuery(request);
  if ('failure' in parsed) return parsed;
  const { inquiry, asked } = parsed;
  const outcome = await parts.explain({ inquiry, resolves: request.query.resolve ?? true });
  if (outcome.kind === 'busy') return tooMany();
  const explained = outcome.kind === 'explained' ? outcome.explained : await parts.explainOffline(inquiry);
  if (explained === undefined)
    return fail(
      'unavailable',
      'No dns worker runs, and nothing is known yet to explain by: see /api/status.',
    );
  const worker = outcome.kind === 'explained' ? outcome.worker : '';
  const lines = await parts.lines(rulesIn(explained));
  return {
    status: 200 as const,
    body: explanationBody({ ...parts.known(), asked, explained, worker, lines }),
  };
}

function tooMany(): Failure<'tooManyRequests'> {
  return fail('tooManyRequests', 'Too many explanations are asked for at once.', {
    headers: { 'retry-after': '1' },
  });
}

async function readQuery({ query, from }: Request<'getExplanation'>): Promise<Parsed | Wrong> {
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
    inquiry: { name, type, ...whoIs(client) },
    asked: { domain: nameToText(name), type: typeText(type), client: client.text },
  };
}

/** No rule is written so, but it is asked for: the root, hyphens at the edge, any sign by its escape. */
const unusualName = /^(?:[\w.-]|\\\d{3}|\\\D)+$/;

const noAddress = new Uint8Array(16);

/** One of a range is its first address. */
function whoIs(client: ClientText): Pick<Inquiry, 'client' | 'traits'> {
  if ('words' in client)
    return { client: Uint8Array.from(client.words.flatMap((word) => [word >> 8, word & 0xff])) };
  const { kind, text } = client;
  if (kind === 'mac') return { client: noAddress, traits: { mac: text } };
  if (kind === 'host') return { client: noAddress, traits: { hostName: text } };
  return { client: noAddress, traits: { interface: text.slice(1) } };
}

/** Through the control socket it is this machine that asks. */
function callerAddress(address: string): string {
  return address === 'local' ? '127.0.0.1' : (address.split('%', 1)[0] ?? address);
}
