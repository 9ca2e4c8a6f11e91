// The successor as its predecessor sees it: a child process that inherits every descriptor, reports its
// progress, and may fail at any moment. It inherits the standard streams too, so that the log continues.

import { spawn, type ChildProcess } from 'node:child_process';
import { inheritanceVariable, type PackedInheritance } from './inheritance.ts';
import { checkEveryMs, SuccessorTimeout } from './successor-timeout.ts';
import { isFromSuccessor, type FromPredecessor, type FromSuccessor } from './messages.ts';

export interface SuccessorCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** In a process group of its own, so that the launcher can signal the whole group. */
  readonly ownGroup: boolean;
}

export interface SuccessorEnd {
  /** It exited with code 0, as after SIGTERM. */
  readonly inOrder: boolean;
  readonly text: string;
}

/** Undefined: the expected message has come. */
type Problem = string | undefined;

export class SuccessorProcess {
  readonly #child: ChildProcess;
  readonly #received = new Set<FromSuccessor['kind']>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #timeout = new SuccessorTimeout();
  #problem: Problem;
  #end: SuccessorEnd | undefined;
  #check: () => void = () => undefined;

  constructor({ program, args, env, ownGroup }: SuccessorCommand, { text, descriptors }: PackedInheritance) {
    this.#child = spawn(program, args, {
      env: { ...env, [inheritanceVariable]: text },
      stdio: ['inherit', 'inherit', 'inherit', 'ipc', ...descriptors],
      detached: ownGroup,
    });
    this.#child.on('message', (message) => {
      if (isFromSuccessor(message)) this.#onMessage(message);
    });
    this.#child.on('error', (error) => this.#fail(`It cannot be started (${error.message}).`));
    this.#child.on('exit', (code, signal) => this.#onExit(code, signal));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** How it ended; undefined while it runs. */
  get end(): SuccessorEnd | undefined {
    return this.#end;
  }

  /** Waits for this message; the reason when it fails before, or stays silent too long. */
  async until(kind: FromSuccessor['kind']): Promise<Problem> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#check = () => {
      if (this.#problem !== undefined || this.#received.has(kind)) resolve();
    };
    const timer = setInterval(() => this.#fail(this.#timeout.check()), checkEveryMs);
    this.#check();
    await promise;
    clearInterval(timer);
    return this.#problem;
  }

  send(message: FromPredecessor): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Detaches it, so that this process can exit. */
  leave(): void {
    if (this.#child.connected) this.#child.disconnect();
    this.#child.unref();
  }

  /** Kills it; resolves once it is dead. */
  async kill(): Promise<void> {
    if (this.pid === 0 || this.#end !== undefined) return;
    this.#child.kill('SIGKILL');
    await this.#ended.promise;
  }

  #onMessage(message: FromSuccessor): void {
    this.#received.add(message.kind);
    this.#timeout.onMessage();
    if (message.kind === 'failed') this.#fail(message.problem);
    this.#check();
  }

  #onExit(code: number | null, signal: NodeJS.Signals | null): void {
    this.#end = { inOrder: code === 0, text: endText(code, signal) };
    this.#fail(this.#end.text);
    this.#ended.resolve();
  }

  /** Keeps the first problem: it causes the later ones. */
  #fail(problem: Problem): void {
    this.#problem ??= problem;
    this.#check();
  }
}

function endText(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `It ended with code ${code}; its log says why.` : `It was ended by ${signal}.`;
}
