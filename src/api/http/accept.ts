// Headers with weights: which of two media types a client prefers, by its header Accept (RFC 9110 section
// 12.5.1), and the parsing that Accept-Encoding shares. A client that requests text gets text; without the
// header, or with `*/*`, it gets JSON.

export function prefersText(accept: string | undefined): boolean {
  return prefers(accept, 'text/plain', 'application/json');
}

/** Whether the first of two media types has a higher weight than the second. */
export function prefers(accept: string | undefined, one: string, other: string): boolean {
  return accept !== undefined && weightOf(accept, one) > weightOf(accept, other);
}

/** The weight of the most specific matching range, wherever it is in the header. */
function weightOf(accept: string, mediaType: string): number {
  const family = `${mediaType.split('/', 1)[0]}/*`;
  return weightIn(parseWeights(accept), [mediaType, family, '*/*']);
}

interface Weighted {
  readonly range: string;
  readonly weight: number;
}

export function parseWeights(header: string): readonly Weighted[] {
  return header.toLowerCase().split(',', maxRanges).map(parseRange);
}

/** The weight of the first of these ranges that the header has; 0 when it has none. */
export function weightIn(ranges: readonly Weighted[], wanted: readonly string[]): number {
  const found = wanted.map((one) => ranges.find(({ range }) => range === one));
  return found.find((range) => range !== undefined)?.weight ?? 0;
}

const maxRanges = 32;

function parseRange(text: string): Weighted {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return { range, weight: weight === undefined ? 1 : Number(weight.slice(2)) || 0 };
}
