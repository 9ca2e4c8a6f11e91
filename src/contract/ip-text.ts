// Strict reading and writing of IP addresses as text, without Node, packages or the bytes of wire, so that a
// browser can check a form. The service parses with wire; a test compares the two parsers. Strict means: IPv4
// is four decimal numbers without leading zeros (inet_aton would read 010 as eight), IPv6 is what RFC 4291
// section 2.2 allows, zones not included.

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const ipv4Pattern = new RegExp(`^${octet}(?:\\.${octet}){3}$`, 'u');
const groupPattern = /^[0-9a-f]{1,4}$/iu;
const groupCount = 8;

export function isIpv4Text(text: string): boolean {
  return ipv4Pattern.test(text);
}

/** The eight 16-bit groups, or `undefined` when the text is not an IPv6 address. */
export function parseIpv6Text(text: string): readonly number[] | undefined {
  const [head = '', tail, ...more] = withHexTail(text).split('::');
  const left = groupsOf(head);
  const right = groupsOf(tail ?? '');
  if (left === undefined || right === undefined || more.length > 0) return undefined;
  const missing = groupCount - left.length - right.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  return [...left, ...Array.from({ length: missing }, () => 0), ...right];
}

/** The canonical form of RFC 5952: lower case, and `::` for the first of the longest runs of zeros. */
export function formatIpv6Groups(groups: readonly number[]): string {
  const run = longestZeroRun(groups);
  const hex = groups.map((group) => group.toString(16));
  if (run.length < 2) return hex.join(':');
  return `${hex.slice(0, run.start).join(':')}::${hex.slice(run.start + run.length).join(':')}`;
}

/** The last two groups, which hold the IPv4 address of an IPv4-mapped one. */
export function formatIpv4Tail(groups: readonly number[]): string {
  return groups
    .slice(6)
    .flatMap((group) => [group >>> 8, group & 0xff])
    .join('.');
}

export function isLinkLocal(groups: readonly number[]): boolean {
  return ((groups[0] ?? 0) & 0xffc0) === 0xfe80;
}

export function isIpv4Mapped(groups: readonly number[]): boolean {
  return groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
}

function groupsOf(text: string): readonly number[] | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  return parts.every((part) => groupPattern.test(part))
    ? parts.map((part) => Number.parseInt(part, 16))
    : undefined;
}

/** `::ffff:1.2.3.4` as `::ffff:102:304`; any other text as it is. */
function withHexTail(text: string): string {
  const start = text.lastIndexOf(':') + 1;
  const tail = text.slice(start);
  if (start === 0 || !isIpv4Text(tail)) return text;
  const [a = 0, b = 0, c = 0, d = 0] = tail.split('.').map(Number);
  return `${text.slice(0, start)}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

function longestZeroRun(groups: readonly number[]): { start: number; length: number } {
  let longest = { start: 0, length: 0 };
  let length = 0;
  groups.forEach((group, index) => {
    length = group === 0 ? length + 1 : 0;
    if (length > longest.length) longest = { start: index - length + 1, length };
  });
  return longest;
}

/** 4 or 6, with an optional zone (`%eth0`, RFC 4007) on IPv6; 0 when the text is not an address. */
export function isIpAddress(text: string): 0 | 4 | 6 {
  if (isIpv4Text(text)) return 4;
  return parseIpv6Text(text.replace(/%[\w.@+-]{1,15}$/u, '')) === undefined ? 0 : 6;
}
