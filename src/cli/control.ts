// Speaks to the running service through its control socket. Whoever may open that file is the local
// administrator, so no password is needed; the API is the same as over the network.

import { request } from 'node:http';
import { join } from 'node:path';
import { endpoints, limits } from '#contract';
import { createClient, type ClientReply, type ClientRequest } from '#contract/client';

/** Why the service could not be asked. */
export interface Unreachable {
  readonly unreachable: 'not running' | 'no answer' | 'forbidden';
  readonly problem: string;
}

const answerMaxMs = 5_000;
/** A restart answers when the new process serves, or after ten minutes in which it did not. */
const restartMaxMs = 620_000;

/** An update of lists says something now and then, but may be silent for longer than other replies. */
const updateMaxMs = 60_000;

/** An explanation may ask upstreams that do not answer, and then reads lists. */
const explainMaxMs = 20_000;

const slowPaths: ReadonlyMap<string, number> = new Map([
  [endpoints.restartDns.path, restartMaxMs],
  [endpoints.updateLists.path, updateMaxMs],
  [endpoints.getExplanation.path, explainMaxMs],
  [endpoints.getEvents.path, 3 * limits.eventHeartbeatMs],
]);

/** `…/copies:accept` and `…/copies/7:use` answer when all lists are compiled anew. */
const compiles = /\/copies(?::accept|\/\d+:use)$/u;

const silenceMaxMs = (path: string): number =>
  compiles.test(path) ? updateMaxMs : (slowPaths.get(path) ?? answerMaxMs);

export class ControlError extends Error {
  readonly reason: Unreachable;

  constructor(reason: Unreachable) {
    super(reason.problem);
    this.reason = reason;
  }
}

export type ControlClient = ReturnType<typeof controlClient>;

export const controlClient = (dataDir: string) => {
  const socketPath = join(dataDir, 'control.sock');
  return createClient((wanted) => send(socketPath, wanted));
};

const send = (socketPath: string, { method, path, body, onText }: ClientRequest): Promise<ClientReply> =>
  new Promise((resolve, reject) => {
    const refuse = (reason: Unreachable): void => reject(new ControlError(reason));
    const outgoing = request(
      {
        socketPath,
        method,
        path,
        headers: { host: 'localhost' },
        timeout: silenceMaxMs(path.replace(/\?.*$/u, '')),
      },
      (reply) => {
        const chunks: Buffer[] = [];
        reply.on('error', () => refuse(brokenOff(socketPath)));
        // What goes on for days is handed on and not gathered.
        if (reply.headers['content-type'] !== 'text/event-stream')
          reply.on('data', (chunk: Buffer) => chunks.push(chunk));
        if (onText !== undefined) reply.on('data', decoded(onText));
        reply.on('end', () => resolve({ status: reply.statusCode ?? 0, body: parse(Buffer.concat(chunks)) }));
      },
    );
    outgoing.on('timeout', () => {
      refuse({
        unreachable: 'no answer',
        problem: `The service behind ${socketPath} does not answer. See its log.`,
      });
      outgoing.destroy();
    });
    outgoing.on('error', (error) => refuse(explain(error, socketPath)));
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });

/** Characters may be cut between two chunks. */
const decoded = (take: (text: string) => void): ((chunk: Buffer) => void) => {
  const decoder = new TextDecoder();
  return (chunk) => take(decoder.decode(chunk, { stream: true }));
};

const brokenOff = (socketPath: string): Unreachable => ({
  unreachable: 'no answer',
  problem: `The service behind ${socketPath} broke off its reply. See its log.`,
});

const parse = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
};

const explain = (error: Error & { code?: string }, socketPath: string): Unreachable => {
  if (error.code === 'EACCES' || error.code === 'EPERM') {
    return {
      unreachable: 'forbidden',
      problem: `You may not open ${socketPath}. Run this as the user of the service, or as root.`,
    };
  }
  const problem =
    `No service is running on ${socketPath} (${error.code ?? error.message}). ` +
    'Start it with `sluice serve`, or name its settings file with --config.';
  return { unreachable: 'not running', problem };
};
