// Finds the comments, strings and regular expressions of a TypeScript text. TypeScript 7 has no compiler API,
// and the rules need no syntax tree: they only need to separate code from text. A `/` starts a regular
// expression unless the token before it can end an expression. After `)` and `}` this is a guess, but
// formatted code rarely has a regular expression there.

export type Span = {
  readonly kind: 'comment' | 'string' | 'template' | 'regex';
  readonly start: number;
  readonly end: number;
};

type Token = { readonly kind: Span['kind'] | 'word' | 'mark' | 'space'; readonly end: number };

const PATTERNS = {
  space: /\s+/y,
  comment: /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/y,
  string: /'(?:\\[^]|[^'\\\n])*'?|"(?:\\[^]|[^"\\\n])*"?/y,
  template: /[`}](?:\\[^]|\$(?!\{)|[^\\`$])*(?:`|\$\{|$)/y,
  regex: /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y,
  word: /[\w$]+/y,
} as const;

const WORDS_BEFORE_REGEX = new Set([
  'return',
  'typeof',
  'case',
  'in',
  'of',
  'void',
  'throw',
  'else',
  'await',
]);

export function scan(text: string): Span[] {
  const spans: Span[] = [];
  // The brace depths at which a `${` was opened: the `}` at the same depth continues its template.
  const templates: number[] = [];
  let depth = 0;
  let before = '';
  for (let at = 0; at < text.length;) {
    const token = nextToken(text, at, before, templates.at(-1) === depth);
    const body = text.slice(at, token.end);
    if (token.kind === 'template') nest(templates, depth, body);
    if (token.kind === 'mark') depth += braceStep(body);
    if (token.kind !== 'space' && token.kind !== 'comment') before = body;
    if (isSpan(token)) spans.push({ kind: token.kind, start: at, end: token.end });
    at = token.end;
  }
  return spans;
}

function nest(templates: number[], depth: number, body: string): void {
  if (body.startsWith('}')) templates.pop();
  if (body.endsWith('${')) templates.push(depth);
}

function braceStep(mark: string): number {
  if (mark === '{') return 1;
  return mark === '}' ? -1 : 0;
}

function nextToken(text: string, at: number, before: string, closesTemplate: boolean): Token {
  for (const kind of candidates(text[at] ?? '', before, closesTemplate)) {
    const end = matchEnd(PATTERNS[kind], text, at);
    if (end !== undefined) return { kind, end };
  }
  return { kind: 'mark', end: at + 1 };
}

function candidates(
  first: string,
  before: string,
  closesTemplate: boolean,
): readonly (keyof typeof PATTERNS)[] {
  if (first === '/') return mayPrecedeRegex(before) ? ['comment', 'regex'] : ['comment'];
  if (first === "'" || first === '"') return ['string'];
  if (first === '`' || (first === '}' && closesTemplate)) return ['template'];
  return ['space', 'word'];
}

function mayPrecedeRegex(before: string): boolean {
  return WORDS_BEFORE_REGEX.has(before) || !/[\w$)\]'"`]$/.test(before);
}

function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function isSpan(token: Token): token is Token & { kind: Span['kind'] } {
  return token.kind !== 'space' && token.kind !== 'word' && token.kind !== 'mark';
}
