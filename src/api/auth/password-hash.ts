// Passwords as argon2id hashes in the PHC string format, which contains the parameters, so that other
// programs can check a hash. One attempt costs 19 MiB and two passes (OWASP's first choice), computed off
// this thread.

import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

interface Cost {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

interface Parsed {
  readonly cost: Cost;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

const cost: Cost = { memory: 19_456, passes: 2, parallelism: 1 };
const saltBytes = 16;
const tagBytes = 32;
// Limits the cost of checking a hash that another program computed.
const maxMemory = 262_144;
const maxPasses = 16;

const derive = promisify(argon2);

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const tag = await tagOf(password, salt, cost, tagBytes);
  const parameters = `m=${cost.memory},t=${cost.passes},p=${cost.parallelism}`;
  return `$argon2id$v=19$${parameters}$${base64(salt)}$${base64(tag)}`;
}

/** False if `hash` is not a valid hash. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const parsed = parseHash(hash);
  if (parsed === undefined) return false;
  const tag = await tagOf(password, parsed.salt, parsed.cost, parsed.tag.length);
  return timingSafeEqual(tag, parsed.tag);
}

export function isPasswordHash(text: string): boolean {
  return parseHash(text) !== undefined;
}

function tagOf(password: string, nonce: Buffer, { memory, passes, parallelism }: Cost, tagLength: number) {
  return derive('argon2id', { message: password, nonce, memory, passes, parallelism, tagLength });
}

const pattern =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/;

function parseHash(text: string): Parsed | undefined {
  const [, memory, passes, parallelism, salt = '', tag = ''] = pattern.exec(text) ?? [];
  const parsed = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  if (memory === undefined || !isCostAllowed(parsed)) return undefined;
  return { cost: parsed, salt: Buffer.from(salt, 'base64'), tag: Buffer.from(tag, 'base64') };
}

function isCostAllowed({ memory, passes, parallelism }: Cost): boolean {
  return (
    parallelism >= 1 && memory >= 8 * parallelism && memory <= maxMemory && passes >= 1 && passes <= maxPasses
  );
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}

// 32 characters without look-alikes, for passwords that are read from a screen and typed into a phone.
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';

/** 20 characters of 5 bits each: 100 bits. */
export function generatePassword(): string {
  const letters = [...randomBytes(20)].map((byte) => alphabet[byte & 31]);
  return letters.join('').replaceAll(/.{5}(?=.)/g, '$&-');
}
