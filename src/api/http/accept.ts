// Which of two media types a client prefers, by its header Accept (RFC 9110 section 12.5.1). A client that
// requests text gets text; without the header, or with `*/*`, it gets JSON.

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
  const ranges = accept.toLowerCase().split(',', maxRanges).map(parseRange);
  const found = [mediaType, family, '*/*'].map((wanted) => ranges.find(({ range }) => range === wanted));
  return found.find((range) => range !== undefined)?.weight ?? 0;
}

const maxRanges = 32;

function parseRange(text: string): { readonly range: string; readonly weight: number } {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return { range, weight: weight === undefined ? 1 : Number(weight.slice(2)) || 0 };
}
