// Writes the answers that do not come from upstreams: errors, blocked names, local names. Negative ones carry
// an SOA so that clients and resolvers behind us may keep them (RFC 2308).

import type { AnswerForm } from '#policy';
import { AnswerWriter, Class, Flag, nameFromText, questionName, Rcode, Section, Type } from '#wire';
import { unfragmentedBytes } from '../transport.ts';
import type { QueryContext } from './query-context.ts';

const root = Uint8Array.of(0);
const soaMaster = nameFromText('sluice.internal') ?? root;
const soaMailbox = nameFromText('hostmaster.sluice.internal') ?? root;
const unspecified = new Uint8Array(16);
const noError = -1;
/** RFC 8482 section 4.2: an HINFO record stands for "ask for the type that you want". */
const anyHinfo = Uint8Array.of(7, ...new TextEncoder().encode('RFC8482'), 0);
const anyTtlSeconds = 3600;

/** Of this machine, or what the settings have in their place, by family. */
export interface OwnAddresses {
  readonly ipv4: readonly Uint8Array[];
  readonly ipv6: readonly Uint8Array[];
}

/** What blocked names are answered with in the modes that tell an address. */
export interface BlockedAddresses extends OwnAddresses {
  /** Set for this purpose: the address that was asked does not count. */
  readonly isFixed4: boolean;
  readonly isFixed6: boolean;
}

export class Composer {
  readonly writer = new AnswerWriter();

  /** Without AA: no server is an authority for what failed or was refused. */
  error(query: QueryContext, rcode: number, ede: number, text: Uint8Array | undefined): number {
    this.begin(query, rcode, Flag.ra);
    return this.finish(query, rcode >> 4, ede, text);
  }

  /** The name is there, without records of this type (NODATA), or it is not there at all. */
  negative(query: QueryContext, rcode: number, ttlSeconds: number, ede: number, text?: Uint8Array): number {
    this.begin(query, rcode);
    this.addSoa(ttlSeconds);
    return this.finish(query, 0, ede, text);
  }

  /** An answer by the form of a rule or of the setting. 0: nothing is to be sent. */
  form(
    query: QueryContext,
    form: AnswerForm,
    ttlSeconds: number,
    ede: number,
    text: Uint8Array | undefined,
    blocked: BlockedAddresses,
  ): number {
    switch (form.kind) {
      case 'drop':
        return 0;
      case 'refused':
        return this.error(query, Rcode.refused, ede, text);
      case 'nx':
        return this.negative(query, Rcode.nxDomain, ttlSeconds, ede, text);
      case 'cname':
        this.begin(query, Rcode.noError);
        this.addAlias(questionName, form.target, ttlSeconds);
        return this.finish(query, 0, ede, text);
      case 'addresses':
        return this.addresses(query, form.ipv4, form.ipv6, ttlSeconds, ede, text);
      default:
        return this.#byMode(query, form.kind, ttlSeconds, ede, text, blocked);
    }
  }

  /** The addresses of the type that was asked for, NODATA when there are none. */
  addresses(
    query: QueryContext,
    ipv4: readonly Uint8Array[],
    ipv6: readonly Uint8Array[],
    ttlSeconds: number,
    ede: number,
    text?: Uint8Array,
  ): number {
    this.begin(query, Rcode.noError);
    if (!this.addAddresses(questionName, query.view.type, ipv4, ipv6, ttlSeconds)) this.addSoa(ttlSeconds);
    return this.finish(query, 0, ede, text);
  }

  any(query: QueryContext): number {
    this.begin(query, Rcode.noError);
    const { length } = anyHinfo;
    this.writer.add(Section.answer, questionName, Type.HINFO, Class.IN, anyTtlSeconds, anyHinfo, 0, length);
    return this.finish(query, 0, noError, undefined);
  }

  texts(query: QueryContext, texts: readonly string[]): number {
    this.begin(query, Rcode.noError);
    for (const text of texts) this.writer.addTxt(questionName, query.view.class, 0, [text]);
    return this.finish(query, 0, noError, undefined);
  }

  /** Answers of our own are authoritative; that recursion is offered is always said. */
  begin(query: QueryContext, rcode: number, flags: number = Flag.aa | Flag.ra): void {
    this.writer.begin(query.out, query.outStart, query.limitBytes, query.view, flags, rcode);
  }

  finish(query: QueryContext, extendedRcode: number, ede: number, text: Uint8Array | undefined): number {
    if (query.view.hasEdns)
      this.writer.addOpt(unfragmentedBytes, query.view.dnssecOk, extendedRcode, ede, text);
    return this.writer.finish();
  }

  addSoa(ttlSeconds: number): void {
    this.writer.addSoa(questionName, ttlSeconds, soaMaster, soaMailbox, 1, 3600, 600, 86_400, ttlSeconds);
  }

  addAlias(owner: Uint8Array, target: Uint8Array, ttlSeconds: number): void {
    this.writer.addName(Section.answer, owner, Type.CNAME, Class.IN, ttlSeconds, target);
  }

  /** False when the address is not of the type that was asked for. */
  addAddress(owner: Uint8Array, type: number, address: Uint8Array, ttlSeconds: number): boolean {
    if (type === Type.A && address.length === 4) return this.writer.addA(owner, ttlSeconds, address, 0);
    return type === Type.AAAA && address.length === 16 && this.writer.addAaaa(owner, ttlSeconds, address, 0);
  }

  /** False when there was nothing to add. */
  addAddresses(
    owner: Uint8Array,
    type: number,
    ipv4: readonly Uint8Array[],
    ipv6: readonly Uint8Array[],
    ttlSeconds: number,
  ): boolean {
    if (type === Type.A) for (const address of ipv4) this.writer.addA(owner, ttlSeconds, address, 0);
    if (type === Type.AAAA) for (const address of ipv6) this.writer.addAaaa(owner, ttlSeconds, address, 0);
    return this.writer.answerCount > 0;
  }

  #byMode(
    query: QueryContext,
    kind: 'null' | 'nodata' | 'ip' | 'ipNodataAaaa',
    ttlSeconds: number,
    ede: number,
    text: Uint8Array | undefined,
    blocked: BlockedAddresses,
  ): number {
    this.begin(query, Rcode.noError);
    if (kind === 'null') this.#addUnspecified(query, ttlSeconds);
    if (kind === 'ip' || (kind === 'ipNodataAaaa' && query.view.type !== Type.AAAA))
      this.#addBlocked(query, blocked, ttlSeconds);
    if (this.writer.answerCount === 0) this.addSoa(ttlSeconds);
    return this.finish(query, 0, ede, text);
  }

  #addUnspecified({ view }: QueryContext, ttlSeconds: number): void {
    if (view.type === Type.A) this.writer.addA(questionName, ttlSeconds, unspecified, 0);
    if (view.type === Type.AAAA) this.writer.addAaaa(questionName, ttlSeconds, unspecified, 0);
  }

  #addBlocked(query: QueryContext, blocked: BlockedAddresses, ttlSeconds: number): void {
    const { type } = query.view;
    const isFixed = type === Type.A ? blocked.isFixed4 : blocked.isFixed6;
    if (isFixed) this.addAddresses(questionName, type, blocked.ipv4, blocked.ipv6, ttlSeconds);
    else this.addOwn(query, questionName, blocked, ttlSeconds);
  }

  /** The address that was asked, or others of this machine when a different family is wanted. */
  addOwn({ view, local }: QueryContext, owner: Uint8Array, own: OwnAddresses, ttlSeconds: number): void {
    if (this.addAddress(owner, view.type, local.bytes, ttlSeconds)) return;
    this.addAddresses(owner, view.type, own.ipv4, own.ipv6, ttlSeconds);
  }
}
