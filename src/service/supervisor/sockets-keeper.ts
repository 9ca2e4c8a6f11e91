// Holds the listening sockets of the web interface. They belong to the main thread, which keeps them open
// while the settings list them; the api thread serves on copies. Addresses that cannot be opened at start
// are retried, because an interface may come up later than the service, and other programs end. A start with
// the usual ports opens another port in the meantime.

import { formatListenAddress, parseListenAddresses, type ListenAddress } from '#contract';
import {
  bindReason,
  type ClosedListener,
  type Libc,
  type Listening,
  type Opened,
  openTcp,
  openTcpPlain,
  type TcpListener,
} from '#platform/sockets';
import { SerialQueue } from '#platform/tasks';
import type { ListenOccasion, ListenOutcome, WebSetting } from '../messages/messages.ts';
import { fallbacksFor, takenText } from './fallback-ports.ts';
import type { InheritedWebSocket } from './handover/inheritance.ts';

interface Kept {
  readonly address: ListenAddress;
  readonly opened: Opened<TcpListener>;
  /** For a fallback port: the listen address that it stands in for. */
  readonly replaces?: string;
}

export class SocketsKeeper {
  readonly #libc: Libc | undefined;
  readonly #kept = new Map<WebSetting, readonly Kept[]>();
  /** Steps run one after the other: a socket that two steps opened would never be closed. */
  readonly #queue = new SerialQueue();

  constructor(libc: Libc | undefined) {
    this.#libc = libc;
  }

  get listening(): Listening {
    const all = [...this.#kept].flatMap(([setting, kept]) => kept.map((one) => ({ setting, ...one })));
    return {
      open: all.flatMap(({ setting, opened }) => (opened.ok ? [{ setting, listener: opened.listener }] : [])),
      closed: all.flatMap(({ setting, address, opened }) =>
        opened.ok ? [] : [closed(setting, address, opened)],
      ),
      dns: [],
      replaced: all.flatMap(({ setting, opened, replaces }) =>
        opened.ok && replaces !== undefined
          ? [{ setting, wanted: replaces, port: opened.listener.port }]
          : [],
      ),
    };
  }

  /** The sockets that a successor can inherit. */
  get inheritable(): readonly InheritedWebSocket[] {
    return [...this.#kept].flatMap(([setting, kept]) =>
      kept.flatMap(({ address, opened }) =>
        opened.ok ? [{ setting, address, listener: opened.listener }] : [],
      ),
    );
  }

  /** Adopts the sockets of a predecessor. */
  inherit(sockets: readonly InheritedWebSocket[]): void {
    for (const { setting, address, listener } of sockets) {
      const before = this.#kept.get(setting) ?? [];
      this.#kept.set(setting, [...before, { address, opened: { ok: true, listener } }]);
    }
  }

  async listen(setting: WebSetting, text: string, occasion: ListenOccasion): Promise<ListenOutcome> {
    const parsed = parseListenAddresses(text);
    if (!parsed.ok) return this.#refused(`${setting}: ${parsed.problem}`);
    const problem = await this.#queue.run(() => this.#update(setting, parsed.addresses, occasion));
    return problem === undefined ? { ok: true, listening: this.listening } : this.#refused(problem);
  }

  #refused(problem: string): ListenOutcome {
    return { ok: false, problem, listening: this.listening };
  }

  /** A message for each closed address that is open now. */
  async retry(): Promise<readonly string[]> {
    return this.#queue.run(() => this.#retry());
  }

  async #retry(): Promise<readonly string[]> {
    const messages: string[] = [];
    for (const [setting, kept] of this.#kept) {
      if (kept.every(({ opened }) => opened.ok)) continue;
      const again = await Promise.all(
        kept.map(async (one) =>
          one.opened.ok ? one : { ...one, opened: await this.#open(setting, one.address) },
        ),
      );
      const taken = again.filter((one, index) => one.opened.ok && kept[index]?.opened.ok === false);
      const texts = new Set(taken.map(({ address }) => formatListenAddress(address)));
      const surplus = again.filter(({ replaces }) => replaces !== undefined && texts.has(replaces));
      for (const one of surplus) this.#close(one);
      this.#kept.set(
        setting,
        again.filter((one) => !surplus.includes(one)),
      );
      for (const text of texts)
        messages.push(takenText(setting, text, portsOf(surplus.filter(({ replaces }) => replaces === text))));
    }
    return messages;
  }

  close(): void {
    for (const kept of this.#kept.values()) for (const one of kept) this.#close(one);
    this.#kept.clear();
  }

  /**
   * Opens new addresses, then closes those that are no longer wanted. In a change, one failure reverts
   * everything.
   */
  async #update(
    setting: WebSetting,
    wanted: readonly ListenAddress[],
    occasion: ListenOccasion,
  ): Promise<string | undefined> {
    const before = this.#kept.get(setting) ?? [];
    const unwanted = before.filter((old) => !wanted.some((address) => isSame(old.address, address)));
    // A port that moves from one address to another is free only after the old socket is closed.
    const conflicting = unwanted.filter((old) => wanted.some(({ port }) => port === old.address.port));
    for (const old of conflicting) this.#close(old);
    const now: Kept[] = [];
    for (const address of wanted) now.push(await this.#keep(setting, address, before));
    const problem = occasion === 'change' ? problemOf(now) : undefined;
    if (problem !== undefined) {
      await this.#revert(setting, before, now, conflicting);
      return problem;
    }
    if (occasion === 'start with fallback') now.push(...(await this.#openFallbacks(setting, now, before)));
    for (const old of unwanted) if (!conflicting.includes(old) && !isAmong(now, old)) this.#close(old);
    this.#kept.set(setting, now);
    return undefined;
  }

  async #revert(
    setting: WebSetting,
    before: readonly Kept[],
    now: readonly Kept[],
    reopened: readonly Kept[],
  ): Promise<void> {
    for (const one of now) if (!isAmong(before, one)) this.#close(one);
    const again = before.map(async (one) =>
      reopened.includes(one) ? { ...one, opened: await this.#open(setting, one.address) } : one,
    );
    this.#kept.set(setting, await Promise.all(again));
  }

  /** One open socket for each address that is closed, where a fallback port is available. */
  async #openFallbacks(
    setting: WebSetting,
    usual: readonly Kept[],
    before: readonly Kept[],
  ): Promise<readonly Kept[]> {
    const found: Kept[] = [];
    for (const { address, opened } of usual) {
      if (opened.ok) continue;
      for (const candidate of fallbacksFor(setting, address)) {
        const kept = await this.#keep(setting, candidate, before);
        if (!kept.opened.ok) continue;
        found.push({ ...kept, replaces: formatListenAddress(address) });
        break;
      }
    }
    return found;
  }

  /** The open socket from before, or a new one. */
  async #keep(setting: WebSetting, address: ListenAddress, before: readonly Kept[]): Promise<Kept> {
    const known = before.find((old) => isSame(old.address, address) && old.opened.ok);
    return { address, opened: known?.opened ?? (await this.#open(setting, address)) };
  }

  async #open(setting: WebSetting, address: ListenAddress): Promise<Opened<TcpListener>> {
    return this.#libc === undefined
      ? openTcpPlain(address, { setting })
      : openTcp(this.#libc, address, { setting });
  }

  #close({ opened }: Kept): void {
    if (opened.ok && opened.listener.fd !== undefined) this.#libc?.close(opened.listener.fd);
  }
}

function isSame(one: ListenAddress, other: ListenAddress): boolean {
  return formatListenAddress(one) === formatListenAddress(other);
}

function problemOf(kept: readonly Kept[]): string | undefined {
  return kept.flatMap(({ opened }) => (opened.ok ? [] : [opened.problem]))[0];
}

/** The same socket, whatever it is used for. */
function isAmong(kept: readonly Kept[], one: Kept): boolean {
  return kept.some(({ opened }) => opened === one.opened);
}

function portsOf(kept: readonly Kept[]): readonly number[] {
  return kept.flatMap(({ opened }) => (opened.ok ? [opened.listener.port] : []));
}

function closed(
  setting: string,
  address: ListenAddress,
  { code, problem }: { readonly code: string; readonly problem: string },
): ClosedListener {
  const { host, port } = address;
  const text = formatListenAddress(address);
  const reason = bindReason(address, code);
  const place = { setting, address: host, port, wanted: text, where: text, kinds: ['tcp'] as const };
  return { ...place, code, reason, problem };
}
