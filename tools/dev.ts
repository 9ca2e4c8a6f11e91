// `npm run dev`: runs the service from the sources; Node's watcher restarts it when a file below src/
// changes. Node makes a watched program report the files that it loads, and worker threads send these reports
// through their message ports, between our own messages. The whole folder is watched, so the reports are not
// needed and are switched off.

import { join } from 'node:path';

import { ROOT } from './run.ts';

delete process.env['WATCH_REPORT_DEPENDENCIES'];
const main = join(ROOT, 'src', 'cli', 'main.ts');
// The command line of a manual start: a restart of the service uses it to start the same program again.
process.argv = [process.execPath, main, 'serve', ...process.argv.slice(2)];
await import(main);
