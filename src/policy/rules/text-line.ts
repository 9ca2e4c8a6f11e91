// Every line that is not of the plain kinds, as a string: recognized by its beginning and handled by the
// parser of its format. The order matters: cosmetic rules first, because such lines may begin with anything;
// a line of no known format is a domain with letters beyond ASCII, or not a rule.

import { isAddress } from './address-text.ts';
import { scanAdblockLine } from './adblock-line.ts';
import { isDnsmasqLine } from './dnsmasq-line.ts';
import { readDomainText } from './domain-text.ts';
import { scanHostNames } from './hosts-line.ts';
import { HASH, isControl } from './letters.ts';
import { isLocalName } from './local-names.ts';
import { Invalid, Skip } from './reasons.ts';
import type { RuleScan } from './rule-scan.ts';
import { isUnboundLine } from './unbound-line.ts';
import { isZoneLine } from './zone-line.ts';

/** `x##y`, `x#@#y`, `x#?#y`, `x#$#y`, `x#%#y`; with a blank before it, `#` begins a comment. */
const COSMETIC = /\S#[#@?$%]|^\$\$|^[^/|@$\s]+\$@?\$/;
/** The same for all pages. `#### heading` and `## words` are comments. */
const COSMETIC_EVERYWHERE = /^#@?(?:\$\??|[?%])?#(?:[.\w[*:^/]|#[\w-])/;
const COSMETIC_WITH_PATH = '[$';
/** Characters that names cannot contain; and a word without a dot inside does not begin or end like this. */
const BROWSER_CHARS = /[/?&=%:+~,]|^[-.]|^_[^.]*\.?$|^[^.]*[-.]$/;
/** Some hosts files omit the other zeros. */
const SHORT_NULL = '0';
const URL_START = /^\w+:\/\//;
const TRAILING_COMMENT = /(?:#|\s;).*$/;

export function scanCommentLine(scan: RuleScan, at: number): void {
  const isMaybeCosmetic = scan.bytes[at] === HASH ? scan.bytes[at + 1] !== 0x20 : scan.bytes[at] === 0x5b;
  if (!isMaybeCosmetic) return;
  const text = scan.textFrom(at);
  if (COSMETIC_EVERYWHERE.test(text) || text.startsWith(COSMETIC_WITH_PATH)) scan.skip(Skip.cosmetic);
}

export function scanTextLine(scan: RuleScan, at: number): void {
  if (hasControl(scan, at)) return scan.reject(Invalid.control);
  const text = scan.textFrom(at);
  if (scan.zone.openLines > 0) return scan.zone.goOn(text);
  if (COSMETIC.test(text)) return scan.skip(Skip.cosmetic);
  if (text.startsWith('<')) return scan.reject(Invalid.html);
  if (/^[|/]|^@@/.test(text)) return scanAdblockLine(scan, text);
  if (isDnsmasqLine(scan, text) || isUnboundLine(scan, text) || isZoneLine(scan, text)) return;
  scanOtherLine(scan, at, text);
}

function hasControl({ bytes, lineEnd }: RuleScan, from: number): boolean {
  for (let at = from; at < lineEnd; at += 1) if (isControl(bytes[at] ?? 0)) return true;
  return false;
}

function scanOtherLine(scan: RuleScan, at: number, text: string): void {
  const bare = text.replace(TRAILING_COMMENT, '').trimEnd();
  const [word = ''] = bare.split(/\s/, 1);
  if (isAddress(word) || word === SHORT_NULL) {
    // An address is ASCII: as many bytes as characters.
    return word === bare ? scan.skip(Skip.address) : scanHostNames(scan, at + word.length);
  }
  if (URL_START.test(bare)) return scan.skip(Skip.url);
  if (/[$^|]/.test(bare)) return scanAdblockLine(scan, text);
  if (bare !== word) return scan.reject(Invalid.several);
  if (BROWSER_CHARS.test(bare)) return scan.skip(Skip.path);
  scanWord(scan, bare);
}

function scanWord(scan: RuleScan, word: string): void {
  const isWildcard = word.startsWith('*.');
  const name = isWildcard ? word.slice(2) : word;
  if (name.includes('*')) return scan.reject(Invalid.wildcard);
  const problem = readDomainText(name, scan.domain);
  if (problem !== undefined) return scan.reject(problem);
  if (isWildcard) return scan.emit('wildcard', 'block', 'below');
  if (isLocalName(scan.domain)) return;
  if (scan.domain.labels === 1) return scan.reject(Invalid.single);
  scan.emit('domain', 'block', 'exact');
}
