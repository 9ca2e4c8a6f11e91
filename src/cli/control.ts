// Calls the API of the running service through its control socket. A user who can open that file is the local
// administrator, so no password is needed. The API is the same as over the network.

import { request } from 'node:http';
import { join } from 'node:path';
import { endpoints, limits } from '#contract';
import { createClient, type ClientReply, type ClientRequest } from '#contract/client';

/** Why the service cannot be reached. */
export interface Unreachable {
  readonly unreachable: 'not running' | 'no answer' | 'forbidden';
  readonly problem: string;
}

const maxReplyMs = 5_000;
/** A restart replies when the new process serves, or after its limit of ten minutes. */
const maxRestartMs = 620_000;

/** An update of lists sends progress, but with longer gaps than other replies. */
const maxUpdateMs = 60_000;

/** An explanation may wait for upstreams and then reads lists. */
const maxExplainMs = 20_000;

const slowPaths: ReadonlyMap<string, number> = new Map([
  [endpoints.restartDns.path, maxRestartMs],
  [endpoints.updateLists.path, maxUpdateMs],
  [endpoints.getExplanation.path, maxExplainMs],
  [endpoints.getEvents.path, 3 * limits.eventHeartbeatMs],
]);

/** `…/copies:accept` and `…/copies/7:use` reply when all lists have been compiled. */
const compilesLists = /\/copies(?::accept|\/\d+:use)$/u;

function maxSilenceMs(path: string): number {
  return compilesLists.test(path) ? maxUpdateMs : (slowPaths.get(path) ?? maxReplyMs);
}

export class ControlError extends Error {
  readonly reason: Unreachable;

  constructor(reason: Unreachable) {
    super(reason.problem);
    this.reason = reason;
  }
}

export type ControlClient = ReturnType<typeof controlClient>;

export function controlClient(dataDir: string) {
  const socketPath = join(dataDir, 'control.sock');
  return createClient((wanted) => send(socketPath, wanted));
}

function send(socketPath: string, { method, path, body, onText }: ClientRequest): Promise<ClientReply> {
  return new Promise((resolve, reject) => {
    const refuse = (reason: Unreachable): void => reject(new ControlError(reason));
    const outgoing = request(
      {
        socketPath,
        method,
        path,
        headers: { host: 'localhost' },
        timeout: maxSilenceMs(path.replace(/\?.*$/u, '')),
      },
      (reply) => {
        const chunks: Buffer[] = [];
        reply.on('error', () => refuse(incomplete(socketPath)));
        // An event stream may last for days, so its text is not kept.
        if (reply.headers['content-type'] !== 'text/event-stream')
          reply.on('data', (chunk: Buffer) => chunks.push(chunk));
        if (onText !== undefined) reply.on('data', decoded(onText));
        reply.on('end', () => resolve({ status: reply.statusCode ?? 0, body: parse(Buffer.concat(chunks)) }));
      },
    );
    outgoing.on('timeout', () => {
      refuse({
        unreachable: 'no answer',
        problem: `The service at ${socketPath} does not reply. See its log.`,
      });
      outgoing.destroy();
    });
    outgoing.on('error', (error) => refuse(explain(error, socketPath)));
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** A character may be split between two chunks. */
function decoded(onText: (text: string) => void): (chunk: Buffer) => void {
  const decoder = new TextDecoder();
  return (chunk) => onText(decoder.decode(chunk, { stream: true }));
}

function incomplete(socketPath: string): Unreachable {
  return {
    unreachable: 'no answer',
    problem: `The reply of the service at ${socketPath} is incomplete. See its log.`,
  };
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

function explain(error: Error & { code?: string }, socketPath: string): Unreachable {
  if (error.code === 'EACCES' || error.code === 'EPERM') {
    return {
      unreachable: 'forbidden',
      problem: `No permission to open ${socketPath}. Run this as the user of the service or as root.`,
    };
  }
  const problem =
    `No service is running at ${socketPath} (${error.code ?? error.message}). ` +
    'Start it with `sluice serve`. If it uses another data folder, name its settings file with --config.';
  return { unreachable: 'not running', problem };
}
