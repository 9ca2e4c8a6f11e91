// The address of a list without password, query and fragment, which may hold secrets. Logs, messages, metrics
// and events show only this form.

export function shownAddress({ protocol, host, pathname }: URL): string {
  return `${protocol}${host === '' && protocol !== 'file:' ? '' : `//${host}`}${pathname}`;
}

/** The same for a text, which may contain secrets even when it is not a valid URL. */
export function withoutSecrets(address: string): string {
  const url = URL.parse(address);
  return url === null ? address.replace(/\/\/.*@/u, '//').replace(/[?#].*$/u, '') : shownAddress(url);
}
