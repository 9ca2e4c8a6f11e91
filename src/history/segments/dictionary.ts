// Numbers for texts: names, clients and upstreams, each in its own table. New texts stay in memory until the
// block that uses them is closed, and are stored with it in the same transaction; the rows of a block bound
// how many there can be. When the database cannot be read, a text that is already stored gets a second
// number. That is harmless, because a search by text looks for all numbers of the text.

import type { SQLInputValue } from 'node:sqlite';
import type { HistoryDatabase } from './database.ts';
import { patternOf } from './pattern.ts';

export type DictionaryTable = 'name' | 'client' | 'upstream';

/** How many texts one step of a pattern search covers. */
const sliceIds = 20_000;
const maxTexts = 20_000;
/** How many texts one statement reads. */
const idsAtOnce = 5_000;

function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash ^ (hash >>> 15);
}

export class Dictionary {
  readonly table: DictionaryTable;
  readonly #database: HistoryDatabase;
  readonly #waiting = new Map<string, number>();
  readonly #waitingTexts = new Map<number, string>();
  /** Texts that were used recently. */
  readonly #texts = new Map<number, string>();
  #lastId = 0;

  constructor(database: HistoryDatabase, table: DictionaryTable) {
    this.#database = database;
    this.table = table;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get lastId(): number {
    return this.#lastId;
  }

  /** Reloads from the database, before the journal is read. */
  load(): void {
    this.#waiting.clear();
    this.#waitingTexts.clear();
    this.#texts.clear();
    const row = this.#database.statement(`select max(id) as last from ${this.table}`).get();
    this.#lastId = Number(row?.['last'] ?? 0);
  }

  idOf(text: string): number {
    const waiting = this.#waiting.get(text);
    if (waiting !== undefined) return waiting;
    const [stored] = this.#storedIds(text);
    if (stored !== undefined) return stored;
    this.#wait(++this.#lastId, text);
    return this.#lastId;
  }

  /** Restores an entry from the journal. */
  restore(id: number, text: string): void {
    this.#lastId = Math.max(this.#lastId, id);
    if (this.textOf(id) !== text) this.#wait(id, text);
  }

  /** '' when there is no such number. */
  textOf(id: number): string {
    if (id === 0) return '';
    const known = this.#waitingTexts.get(id) ?? this.#texts.get(id);
    if (known !== undefined) return known;
    const row = this.#database.statement(`select text from ${this.table} where id = ?`).get(id);
    const text = String(row?.['text'] ?? '');
    if (this.#texts.size >= maxTexts) this.#texts.clear();
    if (text !== '') this.#texts.set(id, text);
    return text;
  }

  /** The texts of many numbers in their order, one per line; an empty line for an unknown number. */
  linesOf(ids: Uint32Array): string {
    const texts = `select coalesce((select text from ${this.table} where id = value), '') as text, key`;
    const statement = this.#database.statement(
      `select group_concat(text, char(10) order by key) as lines from (${texts} from json_each(?))`,
    );
    const parts: string[] = [];
    for (let from = 0; from < ids.length; from += idsAtOnce) {
      const some = ids.subarray(from, from + idsAtOnce);
      const lines = String(statement.get(`[${some.join()}]`)?.['lines'] ?? '');
      parts.push(some.some((id) => this.#waitingTexts.has(id)) ? this.#withWaiting(some, lines) : lines);
    }
    return parts.join('\n');
  }

  /** Fills in texts that are not in the database yet. */
  #withWaiting(ids: Uint32Array, lines: string): string {
    const texts = lines.split('\n');
    return texts.map((text, at) => this.#waitingTexts.get(ids[at] ?? 0) ?? text).join('\n');
  }

  /** Clears the caches, because texts were deleted. */
  forget(): void {
    this.#texts.clear();
  }

  /** Runs inside the transaction that stores the rows which use the texts. */
  store(): void {
    const insert = this.#database.statement(
      `insert or replace into ${this.table} (id, hash, text) values (?, ?, ?)`,
    );
    for (const [text, id] of this.#waiting) insert.run(id, hashText(text), text);
  }

  /** Called when that transaction has been committed. */
  stored(): void {
    this.#waiting.clear();
    this.#waitingTexts.clear();
  }

  /** All numbers of a text. */
  idsOf(text: string): number[] {
    const waiting = this.#waiting.get(text);
    const stored = this.#storedIds(text);
    return waiting === undefined || stored.includes(waiting) ? stored : [...stored, waiting];
  }

  /** The numbers of the texts that match the pattern; `mayGoOn` is called between slices. */
  idsLike(pattern: string, mayGoOn: () => boolean): number[] {
    const like = likeOf(pattern);
    // Waiting texts first: they may be stored between two slices, in a slice that was already searched.
    const fits = patternOf(pattern);
    const waiting = new Set([...this.#waiting].filter(([text]) => fits(text)).map(([, id]) => id));
    const found = [...waiting];
    // All numbers in one string: an object for each row would take longer than the search.
    const statement = this.#database.statement(
      `select group_concat(id) as ids from ${this.table}
       where id > ? and id <= ? and text like ? escape '\\'`,
    );
    for (let from = 0; from < this.#lastId && mayGoOn(); from += sliceIds) {
      const bounds: SQLInputValue[] = [from, from + sliceIds, like];
      const ids = String(statement.get(...bounds)?.['ids'] ?? '');
      if (ids === '') continue;
      for (const id of ids.split(',')) if (!waiting.has(Number(id))) found.push(Number(id));
    }
    return found;
  }

  /** The newest `most` texts, read in slices as above. */
  newest(most: number, mayGoOn: () => boolean): { readonly id: number; readonly text: string }[] {
    const found = [...this.#waitingTexts].map(([id, text]) => ({ id, text })).toSorted((a, b) => b.id - a.id);
    const statement = this.#database.statement(
      `select id, text from ${this.table} where id > ? and id <= ? order by id desc limit ?`,
    );
    for (let end = this.#lastId; end > 0 && found.length < most && mayGoOn(); end -= sliceIds)
      for (const row of statement.all(end - sliceIds, end, most - found.length))
        found.push({ id: Number(row['id']), text: String(row['text']) });
    return found.slice(0, most);
  }

  #wait(id: number, text: string): void {
    this.#waiting.set(text, id);
    this.#waitingTexts.set(id, text);
  }

  #storedIds(text: string): number[] {
    const rows = this.#database.readOr(
      [],
      `select id from ${this.table} where hash = ? and text = ?`,
      hashText(text),
      text,
    );
    return rows.map((row) => Number(row['id']));
  }
}

/** `*` matches any run of characters; ASCII letters match in either case. */
function likeOf(pattern: string): string {
  return pattern.replaceAll(/[\\%_]/gu, String.raw`\$&`).replaceAll(/\*+/gu, '%');
}
