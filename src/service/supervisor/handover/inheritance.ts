// What a successor inherits: file descriptors, and one environment variable that says what each of them is.
// `stdio` of spawn renumbers the descriptors, so the variable has their numbers in the successor.

import type { ListenAddress } from '#contract';
import type { DnsSocket, TcpListener, UnixListener } from '#platform/sockets';
import type { WebSetting } from '../../messages/messages.ts';

export interface InheritedWebSocket {
  readonly setting: WebSetting;
  readonly address: ListenAddress;
  readonly listener: TcpListener;
}

/** The pipes to the launcher, the process that the service was started as. */
export interface LauncherEnds {
  /** The exit code is written here. */
  readonly code: number;
  /** Ends when that process ends. */
  readonly life: number;
}

export interface Inheritable {
  readonly dataDir: string;
  /** The locked descriptor of the data folder. */
  readonly lock: number;
  readonly control: UnixListener | undefined;
  readonly web: readonly InheritedWebSocket[];
  readonly dns: readonly DnsSocket[];
  readonly launcher: LauncherEnds | undefined;
}

export interface Inheritance extends Inheritable {
  /** Increased when another version would misread it. */
  readonly format: number;
  readonly predecessor: number;
}

export const inheritanceVariable = 'SLUICE_INHERITANCE';
const format = 2;
/** After the standard streams and the channel between the two. */
const firstDescriptor = 4;
/** Linux limits one variable to 131,072 bytes. */
const maxTextLength = 120_000;

export interface PackedInheritance {
  /** Inherited in this order, from `firstDescriptor` on. */
  readonly descriptors: readonly number[];
  readonly text: string;
}

/** A string is the reason why it cannot be handed over. */
export function packInheritance(inheritable: Inheritable, predecessor: number): PackedInheritance | string {
  const descriptors: number[] = [];
  const add = (fd: number): number => firstDescriptor + descriptors.push(fd) - 1;
  const addOptional = (fd: number | undefined): number | undefined =>
    fd === undefined ? undefined : add(fd);
  const { control, web, dns, launcher } = inheritable;
  const inheritance: Inheritance = {
    format,
    predecessor,
    dataDir: inheritable.dataDir,
    lock: add(inheritable.lock),
    control: control && { ...control, fd: addOptional(control.fd) },
    web: web.map((one) => ({ ...one, listener: { ...one.listener, fd: addOptional(one.listener.fd) } })),
    dns: dns.map((one) => ({ ...one, fds: one.fds.map(add) })),
    launcher: launcher && { code: add(launcher.code), life: add(launcher.life) },
  };
  const text = JSON.stringify(inheritance);
  return text.length > maxTextLength ? 'There are too many sockets to hand over.' : { descriptors, text };
}

/** The inheritance, a problem, or undefined without a predecessor. Removes the variable. */
export function inherit(env: Record<string, string | undefined>): Inheritance | string | undefined {
  const text = env[inheritanceVariable];
  Reflect.deleteProperty(env, inheritanceVariable);
  if (text === undefined) return undefined;
  try {
    // Written by `packInheritance` in the predecessor, which is this program.
    const inheritance = JSON.parse(text) as Inheritance;
    return inheritance.format === format ? inheritance : otherFormat(inheritance.format);
  } catch {
    return `${inheritanceVariable} is set by a service during a restart only; unset it.`;
  }
}

function otherFormat(found: number): string {
  return (
    `The running version hands over in format ${found}, this one in format ${format}; ` +
    'stop the service and start it again.'
  );
}
