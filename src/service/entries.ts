// The entry files of all threads. In a checkout they are source files; in a built package the bundler has put
// one file for each thread beside this one.

const [folder, ending] = import.meta.url.endsWith('.ts') ? ['./threads', '.ts'] : ['.', '.js'];

export const threadEntries = {
  api: new URL(`${folder}/api-entry${ending}`, import.meta.url),
  certificate: new URL(`${folder}/certificate-entry${ending}`, import.meta.url),
  databaseMaintenance: new URL(`${folder}/database-maintenance-entry${ending}`, import.meta.url),
  dns: new URL(`${folder}/dns-entry${ending}`, import.meta.url),
  history: new URL(`${folder}/history-entry${ending}`, import.meta.url),
  compile: new URL(`${folder}/compile-entry${ending}`, import.meta.url),
  simulate: new URL(`${folder}/simulate-entry${ending}`, import.meta.url),
} as const;
