// Which of two forms a client would rather have, by its header Accept (RFC 9110 section 12.5.1): a program
// that asks for text gets text; whoever says nothing, or everything, gets JSON.

export const prefersText = (accept: string | undefined): boolean =>
  prefers(accept, 'text/plain', 'application/json');

/** Whether the first of two media types is wanted more than the second. */
export const prefers = (accept: string | undefined, one: string, other: string): boolean =>
  accept !== undefined && weightOf(accept, one) > weightOf(accept, other);

/** The most specific range that fits counts, wherever it stands. */
function weightOf(accept: string, mediaType: string): number {
  const family = `${mediaType.split('/', 1)[0]}/*`;
  const ranges = accept.toLowerCase().split(',', rangesMax).map(parseRange);
  const found = [mediaType, family, '*/*'].map((wanted) => ranges.find(({ range }) => range === wanted));
  return found.find((range) => range !== undefined)?.weight ?? 0;
}

const rangesMax = 32;

function parseRange(text: string): { readonly range: string; readonly weight: number } {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return { range, weight: weight === undefined ? 1 : Number(weight.slice(2)) || 0 };
}
