// Holds the listening sockets of the web interface. They belong to the main thread, which keeps them open
// while the settings list them; the api thread serves on copies. Addresses that cannot be opened at start
// are retried, because an interface may come up later than the service.

import { formatListenAddress, parseListenAddresses, type ListenAddress } from '#contract';
import {
  canBind,
  type ClosedListener,
  expandAddress,
  type Libc,
  type Listening,
  type Opened,
  openTcp,
  openTcpPlain,
  readInterfaces,
  type TcpListener,
} from '#platform/sockets';
import type { ListenOccasion, ListenOutcome, ListenSetting } from '../messages/messages.ts';
import type { InheritedWebSocket } from './handover/inheritance.ts';

interface Kept {
  readonly address: ListenAddress;
  readonly opened: Opened<TcpListener>;
}

/** Tried in turn when the default port is not free at the very first start; 0 is any free port. */
const replacements: Readonly<Record<ListenSetting, readonly number[]>> = {
  'web.http': [8080, 0],
  'web.https': [8443, 0],
  'dns.listen': [5300, 0],
};

export class SocketsKeeper {
  readonly #libc: Libc | undefined;
  readonly #kept = new Map<ListenSetting, readonly Kept[]>();

  constructor(libc: Libc | undefined) {
    this.#libc = libc;
  }

  get listening(): Listening {
    const all = [...this.#kept].flatMap(([setting, kept]) => kept.map((one) => ({ setting, ...one })));
    return {
      open: all.flatMap(({ setting, opened }) => (opened.ok ? [{ setting, listener: opened.listener }] : [])),
      closed: all.flatMap(({ setting, address, opened }) =>
        opened.ok ? [] : [closed(setting, address, opened.problem)],
      ),
      dns: [],
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

  async listen(setting: ListenSetting, text: string, occasion: ListenOccasion): Promise<ListenOutcome> {
    const parsed = parseListenAddresses(text);
    if (!parsed.ok) return this.#refused(`${setting}: ${parsed.problem}`);
    const wanted =
      occasion === 'first start' ? await this.#withFreePorts(setting, parsed.addresses) : parsed.addresses;
    // DnsService opens the sockets of DNS, because a port without a worker would accept queries and never
    // answer them.
    if (setting !== 'dns.listen') {
      const problem = await this.#update(setting, wanted, occasion === 'change');
      if (problem !== undefined) return this.#refused(problem);
    }
    const newText = wanted.map(formatListenAddress).join(',');
    const oldText = parsed.addresses.map(formatListenAddress).join(',');
    return { ok: true, listening: this.listening, replaced: newText === oldText ? undefined : newText };
  }

  #refused(problem: string): ListenOutcome {
    return { ok: false, problem, listening: this.listening };
  }

  /** True when a closed address is open now. */
  async retry(): Promise<boolean> {
    let opened = false;
    for (const [setting, kept] of this.#kept) {
      const again = await Promise.all(
        kept.map(async (one) =>
          one.opened.ok ? one : { ...one, opened: await this.#open(setting, one.address) },
        ),
      );
      opened ||= again.some((one, index) => one.opened.ok && kept[index]?.opened.ok === false);
      this.#kept.set(setting, again);
    }
    return opened;
  }

  close(): void {
    for (const kept of this.#kept.values()) for (const one of kept) this.#close(one);
    this.#kept.clear();
  }

  /**
   * Opens new addresses, then closes those that are no longer wanted. With `strict`, one failure reverts
   * everything.
   */
  async #update(
    setting: ListenSetting,
    wanted: readonly ListenAddress[],
    strict: boolean,
  ): Promise<string | undefined> {
    const before = this.#kept.get(setting) ?? [];
    const leaving = before.filter((old) => !wanted.some((address) => isSame(old.address, address)));
    // A port that moves from one address to another is free only after the old socket is closed.
    const conflicting = leaving.filter((old) => wanted.some(({ port }) => port === old.address.port));
    for (const old of conflicting) this.#close(old);
    const now: Kept[] = [];
    for (const address of wanted) {
      const known = before.find((old) => isSame(old.address, address) && old.opened.ok);
      now.push(known ?? { address, opened: await this.#open(setting, address) });
    }
    const failed = now.find(({ opened }) => !opened.ok);
    if (strict && failed !== undefined && !failed.opened.ok) {
      await this.#revert(setting, before, now, conflicting);
      return failed.opened.problem;
    }
    for (const old of leaving) if (!conflicting.includes(old)) this.#close(old);
    this.#kept.set(setting, now);
    return undefined;
  }

  async #revert(
    setting: ListenSetting,
    before: readonly Kept[],
    now: readonly Kept[],
    reopened: readonly Kept[],
  ): Promise<void> {
    for (const one of now) if (!before.includes(one)) this.#close(one);
    const again = before.map(async (one) =>
      reopened.includes(one) ? { ...one, opened: await this.#open(setting, one.address) } : one,
    );
    this.#kept.set(setting, await Promise.all(again));
  }

  /** Replaces ports that are not free. */
  async #withFreePorts(
    setting: ListenSetting,
    addresses: readonly ListenAddress[],
  ): Promise<readonly ListenAddress[]> {
    return Promise.all(
      addresses.map(async (address) => {
        for (const port of [address.port, ...replacements[setting]]) {
          const free = await this.#freePort(setting, { ...address, port });
          if (free !== undefined) return { ...address, port: free };
        }
        return address;
      }),
    );
  }

  async #freePort(setting: ListenSetting, address: ListenAddress): Promise<number | undefined> {
    if (this.#libc !== undefined) {
      if (setting === 'dns.listen' && address.port !== 0) return this.#freeDnsPort(this.#libc, address);
      const found = canBind(this.#libc, address, setting === 'dns.listen' ? ['udp', 'tcp'] : ['tcp']);
      return found.ok ? found.port : undefined;
    }
    const opened = await openTcpPlain(address, { setting });
    return opened.ok ? opened.listener.port : undefined;
  }

  /**
   * DNS has one socket for each local address. A resolver of another program on 127.0.0.53 alone is no
   * reason to leave the default port, as long as other machines reach this one on it.
   */
  #freeDnsPort(libc: Libc, address: ListenAddress): number | undefined {
    const all = expandAddress(address, readInterfaces());
    const outside = all.filter(({ host }) => !isLoopback(host));
    const needed = outside.length > 0 ? outside : all;
    return needed.length > 0 && needed.every((one) => canBind(libc, one, ['udp', 'tcp']).ok)
      ? address.port
      : undefined;
  }

  async #open(setting: ListenSetting, address: ListenAddress): Promise<Opened<TcpListener>> {
    return this.#libc === undefined
      ? openTcpPlain(address, { setting })
      : openTcp(this.#libc, address, { setting });
  }

  #close({ opened }: Kept): void {
    if (opened.ok && opened.listener.fd !== undefined) this.#libc?.close(opened.listener.fd);
  }
}

function isLoopback(host: string): boolean {
  return host === '::1' || host.startsWith('127.');
}

function isSame(one: ListenAddress, other: ListenAddress): boolean {
  return formatListenAddress(one) === formatListenAddress(other);
}

function closed(setting: string, { host, port }: ListenAddress, problem: string): ClosedListener {
  return {
    setting,
    address: host,
    port,
    problem,
  };
}
