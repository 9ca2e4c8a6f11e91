// What clients need before and after login: versions, whether DNS works, how their request arrived.

import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';

const Text = Type.Union([Type.String(), Type.Null()]);
const Remote = Type.Object({ version: Text, hash: Text });
const Part = Type.Object({
  local: Type.Object({ branch: Text, version: Text, hash: Text }),
  remote: Remote,
});

const part = {
  local: { branch: 'main', version: 'v0.1.0', hash: null },
  remote: { version: null, hash: null },
};

export const informationEndpoints = {
  getVersion: endpoint({
    method: 'GET',
    path: '/api/info/version',
    topic: 'information',
    access: 'session',
    summary: 'Get the version',
    description: 'Existing clients know three parts; all have the version of this program.',
    replies: {
      200: {
        description: 'The version',
        body: Type.Object({
          version: Type.Object({
            core: Part,
            web: Part,
            ftl: Type.Object({
              local: Type.Object({ branch: Text, version: Text, hash: Text, date: Text }),
              remote: Remote,
            }),
            docker: Type.Object({ local: Text, remote: Text }),
          }),
        }),
        example: {
          version: {
            core: part,
            web: part,
            ftl: { ...part, local: { ...part.local, date: null } },
            docker: { local: null, remote: null },
          },
        },
      },
    },
    errors: [],
  }),
  getLoginInfo: endpoint({
    method: 'GET',
    path: '/api/info/login',
    topic: 'information',
    access: 'open',
    summary: 'Get what a login page needs',
    replies: {
      200: {
        description: 'Whether DNS works, and the port of HTTPS',
        body: Type.Object({
          dns: Type.Boolean({ description: 'Whether DNS is answered' }),
          https_port: Type.Integer({ description: 'The first port of HTTPS; 0 for none' }),
        }),
        example: { dns: true, https_port: 443 },
      },
    },
    errors: [],
  }),
  getClientInfo: endpoint({
    method: 'GET',
    path: '/api/info/client',
    topic: 'information',
    access: 'open',
    summary: 'Show how this request arrived',
    replies: {
      200: {
        description: 'Address, protocol and headers as received, without credentials',
        body: Type.Object({
          remote_addr: Type.String(),
          http_version: Type.String(),
          method: Type.String(),
          headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
        }),
        example: {
          remote_addr: '192.0.2.5',
          http_version: '1.1',
          method: 'GET',
          headers: [{ name: 'host', value: 'sluice.lan' }],
        },
      },
    },
    errors: [],
  }),
} as const;
