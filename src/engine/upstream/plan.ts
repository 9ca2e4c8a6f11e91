// The options turned into groups of upstreams and routes to them. Made anew whenever options change;
// questions in flight keep the group that they began with.

import { Group, maxGroupMembers } from './choose.ts';
import type { Mode } from './exchange.ts';
import type { DomainRoute, ForwarderOptions, ReverseRoute } from './options.ts';
import type { Registry } from './registry.ts';
import { reverseZones } from '../local/reverse-names.ts';
import { Routes } from './routes.ts';
import type { Upstream } from './upstream.ts';

export class Plan {
  readonly main: Group;
  readonly bootstrap: Group;
  /** Those that answer clients, without those that are bootstrap resolvers only. */
  readonly used: readonly Upstream[];
  /** Upstreams given by name. */
  readonly hosts: ReadonlySet<string>;
  readonly #routes = new Routes<Group>();
  readonly #registry: Registry;
  readonly #notice: (text: string) => void;
  readonly #mode: Mode;

  constructor(options: ForwarderOptions, registry: Registry, notice: (text: string) => void) {
    this.#registry = registry;
    this.#notice = notice;
    this.#mode = options.mode;
    const texts = options.upstreams.length > 0 ? options.upstreams : options.system;
    this.main = new Group(options.mode, this.#members(texts), this.#members(options.fallback));
    for (const route of options.domains) this.#addDomains(route);
    for (const route of options.reverse) this.#addReverse(route);
    this.used = registry.all().filter((upstream) => upstream.isWanted);
    this.bootstrap = this.#bootstrapGroup(options);
    const named = this.used.filter(({ address }) => !address.isAddress);
    this.hosts = new Set(named.map(({ address }) => address.host));
  }

  groupOf(name: Uint8Array): Group {
    return this.#routes.isEmpty ? this.main : (this.#routes.find(name) ?? this.main);
  }

  isRouted(name: Uint8Array): boolean {
    const group = this.#routes.find(name);
    return group !== undefined && group !== this.main;
  }

  #members(texts: readonly string[]): Upstream[] {
    const found: Upstream[] = [];
    for (const text of new Set(texts)) {
      const upstream = this.#registry.acquire(text);
      if (upstream === undefined) this.#notice(`The upstream "${text}" is not understood and not used.`);
      else found.push(upstream);
    }
    if (found.length > maxGroupMembers) {
      this.#notice(`Of ${found.length} upstreams the first ${maxGroupMembers} are used; remove some.`);
    }
    return found;
  }

  #addDomains(route: DomainRoute): void {
    const members = this.#members(route.upstreams);
    const group = route.upstreams.length === 0 ? this.main : new Group(this.#mode, members, []);
    for (const domain of route.domains) this.#add(domain, group);
  }

  #addReverse(route: ReverseRoute): void {
    const group = new Group('strict', this.#members([route.upstream]), []);
    const names = reverseZones(route.network);
    if (names.length === 0) {
      this.#notice(`Conditional forwarding: "${route.network}" is no network; write it as 192.168.0.0/24.`);
    }
    for (const name of names) this.#add(name, group);
    if (route.domain !== undefined && route.domain !== '') this.#add(route.domain, group);
  }

  #add(domain: string, group: Group): void {
    if (!this.#routes.add(domain, group)) {
      this.#notice(`Upstreams for "${domain}": that is no domain name, and is left out.`);
    }
  }

  /** Those set, or all that are known by address, or the system's. */
  #bootstrapGroup({ bootstrap, system }: ForwarderOptions): Group {
    const isAddress = ({ address }: Upstream): boolean => address.isAddress;
    const byAddress = this.used.filter(isAddress);
    const texts = bootstrap.length > 0 || byAddress.length > 0 ? bootstrap : system;
    const members = this.#members(texts).filter(isAddress);
    return new Group('fastest', members.length > 0 ? members : byAddress, []);
  }
}
