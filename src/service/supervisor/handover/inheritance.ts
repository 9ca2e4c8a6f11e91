// What a process leaves to its successor, in words that fit into one environment variable: which descriptor
// means what. The descriptors themselves are inherited by `stdio` of spawn, which numbers them anew; so each
// is noted here with the number that it has in the successor.

import type { ListenAddress } from '#contract';
import type { DnsSocket, TcpListener, UnixListener } from '#platform/sockets';
import type { ListenSetting } from '../../messages/messages.ts';

export interface WebSocketLeft {
  readonly setting: ListenSetting;
  readonly address: ListenAddress;
  readonly listener: TcpListener;
}

/** The pipes to the process that whoever started the service waits for. */
export interface LauncherEnds {
  /** Where the exit code is told. */
  readonly code: number;
  /** Ends when that process ends. */
  readonly life: number;
}

export interface Estate {
  readonly dataDir: string;
  /** The locked descriptor of the data folder. */
  readonly lock: number;
  readonly control: UnixListener | undefined;
  readonly web: readonly WebSocketLeft[];
  readonly dns: readonly DnsSocket[];
  readonly launcher: LauncherEnds | undefined;
}

export interface Inheritance extends Estate {
  /** Raised when another version would misread it. */
  readonly format: number;
  readonly predecessor: number;
}

export const inheritanceVariable = 'SLUICE_INHERITANCE';
const format = 1;
/** After the standard streams and the channel between the two. */
const firstDescriptor = 4;
/** The system takes 131,072 bytes for one variable. */
const textMaxLength = 120_000;

export interface Bequest {
  /** To be inherited in this order, from `firstDescriptor` on. */
  readonly descriptors: readonly number[];
  readonly text: string;
}

/** A text in place of it is the reason why it cannot be left. */
export const bequeath = (estate: Estate, predecessor: number): Bequest | string => {
  const descriptors: number[] = [];
  const give = (fd: number): number => firstDescriptor + descriptors.push(fd) - 1;
  const giveSome = (fd: number | undefined): number | undefined => (fd === undefined ? undefined : give(fd));
  const { control, web, dns, launcher } = estate;
  const left: Inheritance = {
    format,
    predecessor,
    dataDir: estate.dataDir,
    lock: give(estate.lock),
    control: control && { ...control, fd: giveSome(control.fd) },
    web: web.map((one) => ({ ...one, listener: { ...one.listener, fd: giveSome(one.listener.fd) } })),
    dns: dns.map((one) => ({ ...one, fds: one.fds.map(give) })),
    launcher: launcher && { code: give(launcher.code), life: give(launcher.life) },
  };
  const text = JSON.stringify(left);
  return text.length > textMaxLength ? 'There are too many sockets to hand over.' : { descriptors, text };
};

/** What a predecessor left, a problem, or nothing when there was none. It is taken out of the environment. */
export const inherit = (env: Record<string, string | undefined>): Inheritance | string | undefined => {
  const text = env[inheritanceVariable];
  Reflect.deleteProperty(env, inheritanceVariable);
  if (text === undefined) return undefined;
  try {
    // Written by `bequeath` of our predecessor, which is this program.
    const left = JSON.parse(text) as Inheritance;
    return left.format === format ? left : `The running version hands over in another way (${left.format}).`;
  } catch {
    return `${inheritanceVariable} is not for people: it is set by a service that is being restarted.`;
  }
};
