// One clock over all of a fetch, redirects included, and the end of the service: both stop it with a reason
// in words. Nothing is left behind afterwards: a signal that lives as long as the service must not collect
// what was hung on it for one fetch.

import { FetchStop } from '../fetch-outcome.ts';
import { shownAddress } from '../shown-address.ts';

export async function withinTime<T>(
  url: URL,
  { signal, overallMs }: { readonly signal: AbortSignal; readonly overallMs: number },
  work: (stop: AbortController) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const end = (): void => stop.abort(new FetchStop('The service is stopping.', true));
  const tooLong = setTimeout(() => {
    stop.abort(new FetchStop(`${shownAddress(url)}: not finished within ${overallMs / 1000} s.`, true));
  }, overallMs);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    return await work(stop);
  } catch (error) {
    throw reasonOf(stop.signal, error);
  } finally {
    clearTimeout(tooLong);
    signal.removeEventListener('abort', end);
  }
}

/** An abort says only that it happened; why is in the signal. */
export function reasonOf(signal: AbortSignal, error: unknown): unknown {
  return signal.aborted && signal.reason instanceof FetchStop ? signal.reason : error;
}
