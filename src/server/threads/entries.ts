// The files that threads start from, named in one place. In a checkout they are the sources; in a built
// package the bundler has put one file for each beside this one.

const ending = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

export const threadEntries = {
  api: new URL(`./api-entry${ending}`, import.meta.url),
  certificate: new URL(`./certificate-entry${ending}`, import.meta.url),
  dns: new URL(`./dns-entry${ending}`, import.meta.url),
  history: new URL(`./history-entry${ending}`, import.meta.url),
  care: new URL(`./care-entry${ending}`, import.meta.url),
  compile: new URL(`./compile-entry${ending}`, import.meta.url),
  simulate: new URL(`./simulate-entry${ending}`, import.meta.url),
} as const;
