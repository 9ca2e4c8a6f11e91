// The parts of the service that can be degraded or fail, each with its effect for the user. Health, status,
// metrics, log and diagnosis messages use these names. Callers without a credential get these sentences as
// the reason, because the full reason may name files and addresses.

export const healthParts = {
  dns: 'Queries are not answered on every address of dns.listen.',
  upstreams: 'No upstream answers: only local names and cached answers are served.',
  rules:
    'Rules, groups or clients cannot be read, or regular expressions take too long: not everything is ' +
    'blocked or allowed as configured.',
  lists: 'Lists cannot be read or compiled: what they block is out of date or missing.',
  history: 'Queries are not recorded.',
  database: 'The database is incomplete or cannot be written: changes may not be stored.',
  data: 'Changes that were stored are missing, or would be missing unnoticed.',
  web: 'The web interface does not answer on every address of web.http and web.https.',
} as const satisfies Readonly<Record<string, string>>;

export type HealthPart = keyof typeof healthParts;
