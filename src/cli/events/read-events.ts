// Server-sent events from their lines (WHATWG HTML section 9.2.6), as far as our own service sends them:
// comments are passed over, and data is one line of JSON.

export interface EventResult {
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Takes line after line, and hands on each event when its empty line has come. */
export const eventsOf = (take: (event: EventResult) => void): ((line: string) => void) => {
  let name = '';
  let data = '';
  return (line) => {
    if (line.startsWith('event: ')) name = line.slice('event: '.length);
    else if (line.startsWith('data: ')) data = line.slice('data: '.length);
    if (line !== '') return;
    if (name !== '' && data !== '') take({ name, data: objectOf(data) });
    name = '';
    data = '';
  };
};

const objectOf = (text: string): EventResult['data'] => {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? { ...value } : {};
};
