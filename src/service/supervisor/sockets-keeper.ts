// The keeper of listening sockets. They belong to the main thread, which opens them and holds them for as
// long as the settings ask for them; threads come and go and serve on copies. Addresses that cannot be opened
// at start are tried again from time to time, because an interface may come up later than we do.

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

/** Tried in turn when the usual port cannot be had at the very first start; 0 is any free one. */
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

  /** What can be left to a successor. */
  get inheritable(): readonly InheritedWebSocket[] {
    return [...this.#kept].flatMap(([setting, kept]) =>
      kept.flatMap(({ address, opened }) =>
        opened.ok ? [{ setting, address, listener: opened.listener }] : [],
      ),
    );
  }

  /** Goes on with what a predecessor left. */
  inherit(left: readonly InheritedWebSocket[]): void {
    for (const { setting, address, listener } of left) {
      const before = this.#kept.get(setting) ?? [];
      this.#kept.set(setting, [...before, { address, opened: { ok: true, listener } }]);
    }
  }

  async listen(setting: ListenSetting, text: string, occasion: ListenOccasion): Promise<ListenOutcome> {
    const parsed = parseListenAddresses(text);
    if (!parsed.ok) return this.#refused(`${setting}: ${parsed.problem}`);
    const wanted =
      occasion === 'first start' ? await this.#replaced(setting, parsed.addresses) : parsed.addresses;
    // DNS has no thread that would answer yet, and a port that takes queries and never answers is worse than
    // none.
    if (setting !== 'dns.listen') {
      const problem = await this.#keep(setting, wanted, occasion === 'change');
      if (problem !== undefined) return this.#refused(problem);
    }
    const newText = wanted.map(formatListenAddress).join(',');
    const oldText = parsed.addresses.map(formatListenAddress).join(',');
    return { ok: true, listening: this.listening, replaced: newText === oldText ? undefined : newText };
  }

  #refused(problem: string): ListenOutcome {
    return { ok: false, problem, listening: this.listening };
  }

  /** True when something that was closed is open now. */
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
   * Opens what is new, then lets go of what is not wanted any more. With `strict`, one failure leaves all as
   * it was.
   */
  async #keep(
    setting: ListenSetting,
    wanted: readonly ListenAddress[],
    strict: boolean,
  ): Promise<string | undefined> {
    const before = this.#kept.get(setting) ?? [];
    const leaving = before.filter((old) => !wanted.some((address) => isSame(old.address, address)));
    // A port that moves from one address to another is free only once the old socket is closed.
    const inTheWay = leaving.filter((old) => wanted.some(({ port }) => port === old.address.port));
    for (const old of inTheWay) this.#close(old);
    const now: Kept[] = [];
    for (const address of wanted) {
      const known = before.find((old) => isSame(old.address, address) && old.opened.ok);
      now.push(known ?? { address, opened: await this.#open(setting, address) });
    }
    const failed = now.find(({ opened }) => !opened.ok);
    if (strict && failed !== undefined && !failed.opened.ok) {
      await this.#goBack(setting, before, now, inTheWay);
      return failed.opened.problem;
    }
    for (const old of leaving) if (!inTheWay.includes(old)) this.#close(old);
    this.#kept.set(setting, now);
    return undefined;
  }

  async #goBack(
    setting: ListenSetting,
    before: readonly Kept[],
    now: readonly Kept[],
    closedOnes: readonly Kept[],
  ): Promise<void> {
    for (const one of now) if (!before.includes(one)) this.#close(one);
    const again = before.map(async (one) =>
      closedOnes.includes(one) ? { ...one, opened: await this.#open(setting, one.address) } : one,
    );
    this.#kept.set(setting, await Promise.all(again));
  }

  async #replaced(
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
   * DNS listens on each local address by itself: a resolver that another program runs on 127.0.0.53 alone
   * is no reason to leave the usual port, as long as others reach us there.
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
