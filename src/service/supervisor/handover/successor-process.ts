// The successor as its predecessor sees it: a child that inherits every descriptor, says how far it has come,
// and may fail at any moment. Its standard streams are ours, so that its log goes on where ours ends.

import { spawn, type ChildProcess } from 'node:child_process';
import { inheritanceVariable, type Bequest } from './inheritance.ts';
import { lookEveryMs, Patience } from './patience.ts';
import { isFromSuccessor, type FromPredecessor, type FromSuccessor } from './messages.ts';

export interface SuccessorCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** In a process group of its own, so that signals can be passed on to whoever is in it. */
  readonly ownGroup: boolean;
}

export interface SuccessorEnd {
  /** As a service ends that was asked to. */
  readonly inOrder: boolean;
  readonly text: string;
}

/** Nothing: it has come that far. */
type Problem = string | undefined;

export class SuccessorProcess {
  readonly #child: ChildProcess;
  readonly #said = new Set<FromSuccessor['kind']>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #patience = new Patience();
  #problem: Problem;
  #end: SuccessorEnd | undefined;
  #look: () => void = () => undefined;

  constructor({ program, args, env, ownGroup }: SuccessorCommand, { text, descriptors }: Bequest) {
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

  /** How it has ended; nothing while it lives. */
  get end(): SuccessorEnd | undefined {
    return this.#end;
  }

  /** Waits until it says this; the reason when it fails before, or patience ends. */
  async until(kind: FromSuccessor['kind']): Promise<Problem> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#look = () => {
      if (this.#problem !== undefined || this.#said.has(kind)) resolve();
    };
    const timer = setInterval(() => this.#fail(this.#patience.look()), lookEveryMs);
    this.#look();
    await promise;
    clearInterval(timer);
    return this.#problem;
  }

  tell(message: FromPredecessor): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Lets it live on without us. */
  leave(): void {
    if (this.#child.connected) this.#child.disconnect();
    this.#child.unref();
  }

  /** Ends it by force; resolves once it is gone. */
  async kill(): Promise<void> {
    if (this.pid === 0 || this.#end !== undefined) return;
    this.#child.kill('SIGKILL');
    await this.#ended.promise;
  }

  #onMessage(message: FromSuccessor): void {
    this.#said.add(message.kind);
    this.#patience.heard();
    if (message.kind === 'failed') this.#fail(message.problem);
    this.#look();
  }

  #onExit(code: number | null, signal: NodeJS.Signals | null): void {
    this.#end = { inOrder: code === 0, text: endText(code, signal) };
    this.#fail(this.#end.text);
    this.#ended.resolve();
  }

  /** The first problem is the cause of all that follow. */
  #fail(problem: Problem): void {
    this.#problem ??= problem;
    this.#look();
  }
}

const endText = (code: number | null, signal: NodeJS.Signals | null): string =>
  signal === null ? `It ended with code ${code}; its log says why.` : `It was ended by ${signal}.`;
