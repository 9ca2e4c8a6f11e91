// `npm run dev`: the service from the sources, started again by Node's watcher when a file below src/
// changes. Node tells the watched program to report what it loads, and its threads then report to us by
// their ports, among our own messages; the whole folder is watched, so nobody needs the reports.

import { join } from 'node:path';

import { ROOT } from './run.ts';

delete process.env['WATCH_REPORT_DEPENDENCIES'];
const main = join(ROOT, 'src', 'cli', 'main.ts');
// As if it had been started by hand: a restart of the service starts the same program again.
process.argv = [process.execPath, main, 'serve', ...process.argv.slice(2)];
await import(main);
