// A reader of server-sent events over HTTP/1.1, TLS, HTTP/2 or the control socket. It parses the stream as
// the WHATWG specification says and shares no code with the service.

import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';
import type { Readable } from 'node:stream';

import { openHttp2, type Place, type Via } from './client.ts';
import { request as requestPlain } from './http.ts';
import { until, within } from './waiting.ts';

type SeenEvent = { readonly id: string; readonly name: string; readonly data: unknown };

export type EventReader = {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: () => string;
  readonly events: () => readonly SeenEvent[];
  /** Resolves with the first event of this name whose data satisfies `like`. */
  readonly seen: (name: string, like?: (data: unknown) => boolean) => Promise<SeenEvent>;
  /** Resolves when the service has ended the stream. */
  readonly ended: Promise<void>;
  /** Starts reading, for a reader that was opened with `isPaused`. */
  readonly resume: () => void;
  readonly close: () => void;
};

export type EventOptions = {
  readonly via?: Via;
  readonly headers?: Readonly<Record<string, string>>;
  /** Reads nothing from the connection until `resume` is called. */
  readonly isPaused?: boolean;
};

type Opened = Pick<EventReader, 'status' | 'headers' | 'close'> & { readonly body: Readable };

const maxOpenMs = 30_000;

/** `query` begins with `?`, or is empty. */
export const openEvents = async (
  place: Place,
  query: string,
  { via = 'http', headers = {}, isPaused = false }: EventOptions = {},
): Promise<EventReader> => {
  const path = `/api/events${query}`;
  const opening = via === 'h2' ? overHttp2(place, path, headers) : overHttp1(place, path, via, headers);
  const { body, ...opened } = await within('The stream of events opens', maxOpenMs, opening);
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let text = '';
  const resume = (): void => void body.setEncoding('utf8').on('data', (part: string) => (text += part));
  // A connection that is cut also ends the stream.
  body.on('error', () => resolve());
  body.on('close', () => resolve());
  if (!isPaused) resume();
  const events = (): readonly SeenEvent[] => parseEvents(text);
  const find = (name: string, like: (data: unknown) => boolean) => () =>
    events().find((event) => event.name === name && like(event.data));
  return {
    ...opened,
    text: () => text,
    events,
    seen: (name, like = () => true) => until(`The event ${name} comes`, find(name, like)),
    ended,
    resume,
  };
};

const overHttp1 = (
  place: Place,
  path: string,
  via: 'http' | 'https' | 'control',
  headers: Readonly<Record<string, string>>,
): Promise<Opened> => {
  const { promise, resolve, reject } = Promise.withResolvers<Opened>();
  const common = { path, headers: { ...headers }, agent: false as const, host: '127.0.0.1' };
  const outgoing = ((): ClientRequest => {
    if (via === 'control') return requestPlain({ ...common, socketPath: place.controlPath });
    if (via === 'http') return requestPlain({ ...common, port: place.httpPort });
    return requestSecure({ ...common, port: place.httpsPort, ca: place.ca, servername: 'localhost' });
  })();
  outgoing.on('error', reject);
  outgoing.on('response', (body: IncomingMessage) =>
    resolve({ status: body.statusCode ?? 0, headers: body.headers, body, close: () => body.destroy() }),
  );
  outgoing.end();
  return promise;
};

const overHttp2 = async (
  place: Place,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<Opened> => {
  const session = await openHttp2(place);
  const { promise, resolve, reject } = Promise.withResolvers<Opened>();
  const authority = `127.0.0.1:${place.httpsPort}`;
  const body = session.request({ ':path': path, ':authority': authority, ...headers });
  body.on('error', reject);
  body.on('response', ({ ':status': status = 0, ...rest }) =>
    resolve({ status, headers: rest, body, close: () => session.destroy() }),
  );
  body.on('close', () => session.close());
  return promise;
};

const parseEvents = (text: string): readonly SeenEvent[] =>
  text
    .split('\n\n')
    .slice(0, -1)
    .map((block) => new Map(block.split('\n').map(splitLine)))
    .filter((fields) => fields.has('event'))
    .map((fields) => ({
      id: fields.get('id') ?? '',
      name: fields.get('event') ?? '',
      data: JSON.parse(fields.get('data') ?? 'null'),
    }));

const splitLine = (line: string): readonly [string, string] => {
  const colon = line.indexOf(': ');
  return [line.slice(0, colon), line.slice(colon + 2)];
};
