// Turns error codes of Node and the operating system into sentences: what failed, and what to do. For a code
// that is not in the table the original error message is shown.

import { failed, FetchStop, type FetchFailure } from '../fetch-outcome.ts';
import { shownAddress } from '../shown-address.ts';
import { errorText } from '#platform/tasks';

interface Row {
  readonly codes: readonly string[];
  readonly text: string;
  readonly isWorthRetrying: boolean;
}

const rows: readonly Row[] = [
  {
    codes: ['ENOTFOUND', 'EAI_AGAIN', 'EAI_NONAME', 'ENODATA', 'ESERVFAIL', 'ETIMEOUT'],
    text: 'the name of the server cannot be resolved; check the address and that an upstream answers',
    isWorthRetrying: true,
  },
  {
    codes: ['ECONNREFUSED'],
    text: 'the server refuses connections; check the address and its port',
    isWorthRetrying: true,
  },
  {
    codes: ['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL', 'ETIMEDOUT'],
    text: 'the server cannot be reached; check the connection to the network',
    isWorthRetrying: true,
  },
  {
    codes: ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_HTTP_REQUEST_TIMEOUT'],
    text: 'the server closed the connection in the middle; Sluice tries again',
    isWorthRetrying: true,
  },
  {
    codes: ['Z_BUF_ERROR', 'Z_DATA_ERROR', 'ERR_PADDING_2'],
    text: 'the compressed text is damaged or truncated; Sluice tries again',
    isWorthRetrying: true,
  },
  {
    codes: ['ENOSPC', 'EDQUOT', 'EROFS'],
    text: 'the list cannot be stored, the disk is full or read-only; free space in the data folder',
    isWorthRetrying: false,
  },
  { codes: ['ENOENT', 'ENOTDIR'], text: 'there is no such file; check the path', isWorthRetrying: false },
  {
    codes: ['EACCES', 'EPERM'],
    text: 'no permission to read the file; let the service read it',
    isWorthRetrying: false,
  },
  {
    codes: ['ERR_INVALID_FILE_URL_HOST', 'ERR_INVALID_FILE_URL_PATH'],
    text: 'not a file on this machine; write file:/// (three slashes) and the path',
    isWorthRetrying: false,
  },
  {
    codes: ['EISDIR'],
    text: 'this is a folder; give the path of a file',
    isWorthRetrying: false,
  },
];

const compressionCode = /^(?:Z_|ERR_BROTLI|ERR__ERROR_FORMAT|ZSTD_|ERR_ZSTD)/;
const certificateCode = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS_|HOSTNAME_MISMATCH/;
const protocolCode = /^(?:ERR_SSL|EPROTO|HPE_)/;

export function failureOf(error: unknown, url: URL): FetchFailure {
  if (error instanceof FetchStop) return error.failure;
  const code = codeOf(error);
  const row = rows.find(({ codes }) => codes.includes(code)) ?? rowOf(code, error);
  const detail = code === '' ? '' : ` (${code})`;
  return failed(`${shownAddress(url)}: ${row.text}${detail}.`, row.isWorthRetrying);
}

function rowOf(code: string, error: unknown): Omit<Row, 'codes'> {
  if (compressionCode.test(code))
    return { text: 'the compressed text is damaged; Sluice tries again', isWorthRetrying: true };
  if (certificateCode.test(code))
    return {
      text: `the server's certificate is not valid: ${errorText(error)}; check the address and the clock`,
      isWorthRetrying: false,
    };
  if (protocolCode.test(code))
    return {
      text: 'the server does not speak valid HTTP; check address and port',
      isWorthRetrying: false,
    };
  return { text: errorText(error), isWorthRetrying: true };
}

/** A connection that tried several addresses fails with one error for each; the first one is reported. */
function codeOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (!(first instanceof Error) || !('code' in first)) return '';
  return typeof first.code === 'string' ? first.code : '';
}
