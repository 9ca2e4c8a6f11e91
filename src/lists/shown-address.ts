// The address of a list as everybody may see it. It may carry a password or a token, and what is shown goes
// to logs, messages, metrics and events.

export const shownAddress = ({ protocol, host, pathname }: URL): string =>
  `${protocol}${host === '' && protocol !== 'file:' ? '' : `//${host}`}${pathname}`;

/** The same for a text; one that is no URL may have secrets too. */
export function withoutSecrets(address: string): string {
  const url = URL.parse(address);
  return url === null ? address.replace(/\/\/.*@/u, '//').replace(/[?#].*$/u, '') : shownAddress(url);
}
