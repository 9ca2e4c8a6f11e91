// Where the API is, as clients find it over DNS (class CHAOS, type TXT): one URL for each listener, with the
// address that it is bound to, or with this machine's name.

import type { ApiUrls } from './plan.ts';
import type { Listening } from '#platform/sockets';

const wildcards: Readonly<Record<string, string>> = { '*': '127.0.0.1', '0.0.0.0': '127.0.0.1', '::': '::1' };

export function apiUrls({ open }: Listening, hostName: string, basePath: string): ApiUrls {
  const web = open.filter(({ setting }) => setting === 'web.http' || setting === 'web.https');
  const urls = (hostOf: (address: string) => string): readonly string[] => {
    const all = web.map(({ setting, listener }) => {
      const scheme = setting === 'web.https' ? 'https' : 'http';
      return `${scheme}://${bracketed(hostOf(listener.address))}:${listener.port}${basePath}/api/`;
    });
    return [...new Set(all)];
  };
  return { local: urls((address) => wildcards[address] ?? address), domain: urls(() => hostName) };
}

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);
