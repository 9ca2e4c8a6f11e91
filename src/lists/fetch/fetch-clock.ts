// Limits the time of one fetch, including its redirects, and aborts it when the service stops; the abort
// reason is a sentence for the user. Removes its listener afterwards, because the service's signal outlives
// the fetch and would otherwise accumulate listeners.

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

/** The error of an aborted stream does not say why; the reason is in the signal. */
export function reasonOf(signal: AbortSignal, error: unknown): unknown {
  return signal.aborted && signal.reason instanceof FetchStop ? signal.reason : error;
}
