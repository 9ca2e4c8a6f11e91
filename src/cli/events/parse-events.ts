// Parses server-sent events (WHATWG HTML section 9.2.6), as far as Sluice uses them: comments are skipped,
// and data is one line of JSON.

export interface ServiceEvent {
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The result takes one line at a time; the empty line after an event calls `onEvent`. */
export function parseEvents(onEvent: (event: ServiceEvent) => void): (line: string) => void {
  let name = '';
  let data = '';
  return (line) => {
    if (line.startsWith('event: ')) name = line.slice('event: '.length);
    else if (line.startsWith('data: ')) data = line.slice('data: '.length);
    if (line !== '') return;
    if (name !== '' && data !== '') onEvent({ name, data: objectOf(data) });
    name = '';
    data = '';
  };
}

function objectOf(text: string): ServiceEvent['data'] {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
