// Reads the whole body of a request, with a size limit that depends on the caller and with a timeout, because
// an endless body would use up memory, and one that never arrives would occupy a connection.

import { Http2ServerRequest } from 'node:http2';
import type { Readable } from 'node:stream';
import { fail, limits, type Failure } from '#contract';

export type BodyFailure = Failure<'bodyTooLarge' | 'requestTimeout' | 'invalidRequest'>;
export type BodyOutcome = Buffer | undefined | BodyFailure;

export function isBodyFailure(body: BodyOutcome): body is BodyFailure {
  return body !== undefined && 'failure' in body;
}

/**
 * `announced` is the Content-Length, if the client sent one: a body that is announced as too large is not
 * read.
 */
export function readBody(
  stream: Readable,
  announced: number | undefined,
  limitBytes: number,
  done: (body: BodyOutcome) => void,
): void {
  if (announced !== undefined && announced > limitBytes) return done(tooLarge(limitBytes));
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  const finish = (body: BodyOutcome): void => {
    clearTimeout(timer);
    stream.off('data', onData).off('end', onEnd).off('error', onError).off('close', onError);
    done(body);
  };
  const onData = (chunk: Buffer): void => {
    sizeBytes += chunk.length;
    if (sizeBytes <= limitBytes) chunks.push(chunk);
    else finish(tooLarge(limitBytes));
  };
  const onEnd = (): void => {
    // An HTTP/2 stream that was reset emits `end` like a complete one.
    if (stream instanceof Http2ServerRequest && stream.stream.closed) onError();
    else finish(sizeBytes === 0 ? undefined : Buffer.concat(chunks, sizeBytes));
  };
  const onError = (): void =>
    finish(fail('invalidRequest', 'The request ended before its body was complete.'));
  const timer = setTimeout(() => finish(fail('requestTimeout')), limits.requestTimeoutMs);
  timer.unref();
  stream.on('data', onData).on('end', onEnd).on('error', onError).on('close', onError);
}

function tooLarge(limitBytes: number): Failure<'bodyTooLarge'> {
  return fail('bodyTooLarge', `At most ${limitBytes} bytes are accepted from this caller.`);
}
