// What the part of an adblock rule before its modifiers matches. `||` is the beginning of a label, `|` the
// beginning or the end of the name, `^` (a separator) its end, `*` anything. Most of them are a name with a
// reach; the rest becomes a regular expression over the name. Patterns that no anchor ties to a name are
// meant for URLs.

import { addressBytes } from './address-text.ts';
import { asciiDomain } from './domain-text.ts';
import { Invalid, Skip } from './reasons.ts';
import type { AddressRange, RuleReach } from './scanned-rule.ts';

export type Target =
  | { readonly kind: 'name'; readonly text: string; readonly reach: RuleReach }
  | { readonly kind: 'pattern'; readonly pattern: string }
  | { readonly kind: 'address'; readonly address: AddressRange }
  | { readonly kind: 'everything' }
  | { readonly kind: 'skip' | 'invalid'; readonly reason: string };

type Begin = 'label' | 'name' | 'anywhere';
/** closed: the name ends here; open: it may continue; silent: the rule does not say. */
type End = 'closed' | 'open' | 'silent';

const SHAPE = /^(\|\|?|:\/\/)?(.*?)(\^\*?\|?|\*?\|)?$/;
const PAGE_ADDRESS = /^(?:[a-z]+:)?\/\//i;
const PATH_CHARS = /[/?=&%,;~!+@:^|'"()[\]{}<>\\\s]/;
const PATTERN_TEXT = /^[a-z0-9_.*-]*$/;
const DOMAIN_LIKE = /^[^.*-][^*]*\.[^.*]*[^.*-]$/;

export function readTarget(text: string): Target {
  const [, bars = '', middle = '', mark = ''] = SHAPE.exec(text) ?? [];
  if (PAGE_ADDRESS.test(middle)) return { kind: 'skip', reason: Skip.url };
  const address = addressBytes(middle.replace(/^\[(.*)\]$/, '$1'));
  if (address !== undefined) return addressTarget(address, bars);
  if (PATH_CHARS.test(middle)) return { kind: 'skip', reason: Skip.path };
  const ascii = asciiDomain(middle);
  if (ascii === undefined) return { kind: 'invalid', reason: Invalid.idn };
  return nameTarget(beginOf(bars), ascii.toLowerCase(), endOf(mark));
}

function addressTarget(bytes: Uint8Array, bars: string): Target {
  if (bars === '') return { kind: 'skip', reason: Skip.address };
  return { kind: 'address', address: { bytes, prefixBits: 8 * bytes.length } };
}

function beginOf(bars: string): Begin {
  if (bars === '||') return 'label';
  return bars === '' ? 'anywhere' : 'name';
}

function endOf(mark: string): End {
  if (mark === '') return 'silent';
  return mark.startsWith('*') ? 'open' : 'closed';
}

function nameTarget(begin: Begin, text: string, end: End): Target {
  const from = starsFrom(text);
  if (from === text.length) return { kind: 'everything' };
  if (from > 0) return nameTarget('anywhere', text.slice(from), end);
  if (text.endsWith('*')) return patternTarget(begin, withoutLastStars(text), 'open');
  if (text.includes('*')) return patternTarget(begin, text, end);
  if (end === 'closed') return closedTarget(begin, text);
  // `||x.example` without a `^` always means the domain.
  if (end === 'silent' && begin !== 'name' && DOMAIN_LIKE.test(text)) {
    return { kind: 'name', text, reach: begin === 'label' ? 'below' : 'exact' };
  }
  return patternTarget(begin, text, end);
}

function starsFrom(text: string): number {
  let from = 0;
  while (text[from] === '*') from += 1;
  return from;
}

function withoutLastStars(text: string): string {
  let end = text.length;
  while (text[end - 1] === '*') end -= 1;
  return text.slice(0, end);
}

function closedTarget(begin: Begin, text: string): Target {
  if (text.endsWith('.')) return { kind: 'invalid', reason: Invalid.notDomain };
  if (begin === 'label') return { kind: 'name', text, reach: 'below' };
  if (begin === 'name') return { kind: 'name', text, reach: 'exact' };
  if (text.startsWith('.')) return { kind: 'name', text: text.slice(1), reach: 'onlyBelow' };
  return patternTarget(begin, text, 'closed');
}

function patternTarget(begin: Begin, text: string, end: End): Target {
  if (begin === 'anywhere' && end !== 'closed') return { kind: 'skip', reason: Skip.path };
  if (!PATTERN_TEXT.test(text) || !/[a-z0-9]/.test(text))
    return { kind: 'invalid', reason: Invalid.notDomain };
  const inner = text.replaceAll('.', '\\.').replaceAll(/\*+/g, '.*');
  const first = { label: '(?:^|\\.)', name: '^', anywhere: '' }[begin];
  return { kind: 'pattern', pattern: `${first}${inner}${end === 'closed' ? '$' : ''}` };
}
