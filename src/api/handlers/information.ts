// Handlers of information about the program and about the client's own request.

import type { Handlers } from '../http/handler.ts';

type Names = 'getVersion' | 'getLoginInfo' | 'getClientInfo';

export interface InformationParts {
  readonly version: string;
  readonly httpsPort: () => number;
  readonly isDnsAnswered: () => boolean;
}

const none = { version: null, hash: null };
const credentials = /^(cookie|(proxy-)?authorization|sid|x-.*-(sid|csrf)|x-csrf-token)$/i;

export function createInformationHandlers(parts: InformationParts): Pick<Handlers, Names> {
  const local = { branch: 'main', version: `v${parts.version}`, hash: null };
  return {
    getVersion: () => ({
      status: 200,
      body: {
        version: {
          core: { local, remote: none },
          web: { local, remote: none },
          ftl: { local: { ...local, date: null }, remote: none },
          docker: { local: null, remote: null },
        },
      },
    }),
    getLoginInfo: () => ({
      status: 200,
      body: { dns: parts.isDnsAnswered(), https_port: parts.httpsPort() },
    }),
    getClientInfo: ({ from }) => {
      const { address, httpVersion, method, headers } = from();
      const shown = headers.filter(({ name }) => !credentials.test(name));
      return {
        status: 200,
        body: { remote_addr: address, http_version: httpVersion, method, headers: shown },
      };
    },
  };
}
