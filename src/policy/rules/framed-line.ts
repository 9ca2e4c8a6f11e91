// Lines of dnsmasq, unbound and response policy zones as list makers write them, a million to a file: a name
// between fixed texts. They are compared as bytes, like the plain lines; any other spelling of the same is
// handled by the parser of its format, with the same result (the tests compare the two).

import { domainFine } from './domain-reader.ts';
import { DOT, latin } from './letters.ts';
import { nodataOptions, nullOptions, nxOptions, refusedOptions } from './rule-options.ts';
import type { RuleScan } from './rule-scan.ts';
import type { RuleAction, RuleFormat, RuleOptions } from './scanned-rule.ts';

interface Ending {
  readonly bytes: Uint8Array;
  readonly action: RuleAction;
  readonly options: RuleOptions | undefined;
}

interface Frame {
  readonly format: RuleFormat;
  readonly before: Uint8Array;
  readonly after: readonly Ending[];
}

function ending(text: string, options?: RuleOptions, action: RuleAction = 'block'): Ending {
  return { bytes: latin(text), action, options };
}

const dnsmasqServer = [ending('/', nxOptions), ending('/#', undefined, 'allow')];

const FRAMES: readonly Frame[] = [
  {
    format: 'dnsmasq',
    before: latin('address=/'),
    after: [
      ending('/', nxOptions),
      ending('/0.0.0.0'),
      ending('/#', nullOptions),
      ending('/::'),
      ending('/127.0.0.1'),
    ],
  },
  { format: 'dnsmasq', before: latin('server=/'), after: dnsmasqServer },
  { format: 'dnsmasq', before: latin('local=/'), after: dnsmasqServer },
  {
    format: 'unbound',
    before: latin('local-zone: "'),
    after: [
      ending('" always_nxdomain', nxOptions),
      ending('" static', nxOptions),
      ending('" always_null', nullOptions),
      ending('" always_nodata', nodataOptions),
      ending('" always_refuse', refusedOptions),
      ending('" refuse', refusedOptions),
    ],
  },
];

const RPZ_ENDINGS: readonly Ending[] = [
  ending(' CNAME .', nxOptions),
  ending('\tCNAME\t.', nxOptions),
  ending(' IN CNAME .', nxOptions),
  ending('\tIN\tCNAME\t.', nxOptions),
  ending(' CNAME *.', nodataOptions),
  ending(' CNAME rpz-passthru.', undefined, 'allow'),
];

/** By first byte, so that a line that begins with another byte costs one load. */
const FIRST_BYTES = Uint8Array.from({ length: 256 }, (_, byte) =>
  FRAMES.some((frame) => frame.before[0] === byte) ? 1 : 0,
);

/** False, without any effect, when the line at `at` is none of these. */
export function isFramedLine(scan: RuleScan, at: number): boolean {
  if (FIRST_BYTES[scan.bytes[at] ?? 0] === 0) return false;
  for (const frame of FRAMES) {
    if (isHere(scan.bytes, at, scan.lineEnd, frame.before)) return isFrameOf(scan, at, frame);
  }
  return false;
}

function isFrameOf(scan: RuleScan, at: number, frame: Frame): boolean {
  // An unbound zone that waits for its data has to be closed first.
  if (!scan.zone.isRedirectAnswered) return false;
  const { bytes, lineEnd, domain } = scan;
  if (domain.read(bytes, at + frame.before.length, lineEnd) !== domainFine) return false;
  const found = endingAt(bytes, domain.stop, lineEnd, frame.after);
  if (found === undefined) return false;
  scan.emit(frame.format, found.action, 'below', found.options);
  return true;
}

/** The rest of a zone's line, after the owner that was read last. `isStar`: `*.` precedes it. */
export function isZoneRest(scan: RuleScan, isStar: boolean): boolean {
  const { bytes, lineEnd, domain, zone } = scan;
  // An absolute owner may contain the origin.
  if (zone.origin !== '' && bytes[domain.stop - 1] === DOT) return false;
  const found = endingAt(bytes, domain.stop, lineEnd, RPZ_ENDINGS);
  if (found === undefined || isSpecialOwner(domain.name, domain.length)) return false;
  scan.emit('rpz', found.action, isStar ? 'onlyBelow' : 'exact', found.options);
  return true;
}

const RPZ = latin('rpz-');

/** Whether the last label begins with `rpz-`. */
function isSpecialOwner(name: Uint8Array, length: number): boolean {
  let at = 0;
  let last = 0;
  while (at < length - 1) {
    last = at;
    at += (name[at] ?? 0) + 1;
  }
  return isHere(name, last + 1, at, RPZ);
}

function endingAt(
  bytes: Uint8Array,
  at: number,
  end: number,
  endings: readonly Ending[],
): Ending | undefined {
  for (const found of endings) {
    if (found.bytes.length === end - at && isHere(bytes, at, end, found.bytes)) return found;
  }
  return undefined;
}

function isHere(bytes: Uint8Array, at: number, end: number, text: Uint8Array): boolean {
  if (end - at < text.length) return false;
  for (let index = 0; index < text.length; index += 1) if (bytes[at + index] !== text[index]) return false;
  return true;
}
