// Settings about who may use the API and for how long a login lasts.

import { limits } from '../limits.ts';
import { flag, text, whole } from './declare.ts';

export const auth = {
  password: text({
    default: '',
    help:
      'The password of the API and the web interface, or its argon2id hash. One is generated at the first ' +
      'start. An explicitly empty password disables authentication.',
    allowed: `a text of up to ${limits.passwordLength} characters, or empty for no authentication at all`,
    check: (value) => (value.length > limits.passwordLength ? 'too long' : undefined),
    secret: true,
  }),
  validitySeconds: whole({
    default: 1800,
    range: [60, 31_536_000],
    help: 'How long a session lasts after its last request.',
  }),
  maxSessions: whole({ default: 16, range: [2, 10_000], help: 'The maximum number of sessions.' }),
  bindAddress: flag({
    default: true,
    help: 'Whether a session is valid only for the client address that created it.',
  }),
} as const;
