// The URLs of the API that clients discover over DNS (class CHAOS, type TXT): one per listener, with its
// address or with the name of this machine.

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

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
