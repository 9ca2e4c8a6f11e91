// A source file as the rules see it: its text, the text with everything blanked that is not code, its
// comments and its imports. Blanking keeps all offsets and lines, so that a rule can search in one text and
// read in another.

import { importsOf, type Import } from './imports.ts';
import { scan, type Span } from './scan.ts';

export type FileText = { readonly path: string; readonly text: string };

export type Source = FileText & {
  /** Comments and the contents of strings and regular expressions are blank. */
  readonly code: string;
  /** Like `code`, but with the comments. */
  readonly prose: string;
  readonly lines: readonly string[];
  readonly comments: readonly Span[];
  readonly imports: readonly Import[];
};

export function toSource({ path, text }: FileText): Source {
  const spans = isCode(path) ? scan(text) : [];
  const comments = spans.filter((span) => span.kind === 'comment');
  const prose = blank(
    text,
    spans.filter((span) => span.kind !== 'comment').map((span) => inside(text, span)),
  );
  const code = blank(prose, comments);
  const imports = isCode(path) ? importsOf(path, text, code) : [];
  return { path, text, code, prose, lines: text.split('\n'), comments, imports };
}

export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

export function isCode(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path) && !path.endsWith('.d.ts');
}

export function isTest(path: string): boolean {
  return path.endsWith('.test.ts');
}

/** Files in the four folders that contain code; the house style applies to these. */
export function isOurs(path: string): boolean {
  return /^(?:src|test|tools|bench)\//.test(path);
}

/** The contents without the quotes, so that a search still sees the string, and brackets still match. */
function inside(text: string, { kind, start, end }: Span): Span {
  const tail = text.startsWith('${', end - 2) ? 2 : 1;
  return { kind, start: start + 1, end: Math.max(end - tail, start + 1) };
}

function blank(text: string, spans: readonly Span[]): string {
  let out = '';
  let done = 0;
  for (const { start, end } of spans) {
    out += text.slice(done, start) + text.slice(start, end).replaceAll(/[^\n]/g, ' ');
    done = end;
  }
  return out + text.slice(done);
}
