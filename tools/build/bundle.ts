// Bundles the program: one file for each thread entry, and the chunks that they share or load later, all in
// one flat folder, because a thread finds the other entries beside its own file. Nothing is minified:
// readable stack traces are worth more than disk space, and minifying saves no memory once comments and
// unused code are removed (measured idle, resident: 103.8 MB, minified 104.4 MB, with comments and unused
// code 107.1 MB). koffi is native and stays outside; it is the only dependency of the built package.

import { globSync } from 'node:fs';
import { basename } from 'node:path';

import { rolldown, type OutputChunk, type RolldownOutput } from 'rolldown';

import { ROOT } from '../run.ts';
import { leanHttp } from './lean-http.ts';
import { leaveOut } from './leave-out.ts';

/** The command and all thread entries; a new entry is found automatically. */
function entries(): Record<string, string> {
  const threads = globSync('src/service/threads/*-entry.ts', { cwd: ROOT });
  const named = threads.map((path) => [basename(path, '.ts'), path] as const);
  return { main: 'src/cli/main.ts', ...Object.fromEntries(named) };
}

/** Returns the folders of the npm packages whose code is in the bundle. */
export async function bundle(folder: string): Promise<string[]> {
  const build = await rolldown({
    cwd: ROOT,
    input: entries(),
    platform: 'node',
    external: ['koffi', /^node:(?!http$)/],
    plugins: [leaveOut, leanHttp],
    // Only the entries have side effects when they are loaded, so a thread loads only the code that it uses.
    treeshake: {
      moduleSideEffects: [{ test: /\/src\/(?!cli\/main\.ts|service\/threads\/)/, sideEffects: false }],
    },
    checks: { eval: false },
  });
  try {
    const output = await build.write({
      dir: folder,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name].js',
      comments: false,
    });
    return packagesIn(output);
  } finally {
    await build.close();
  }
}

function packagesIn({ output }: RolldownOutput): string[] {
  const chunks = output.filter((file): file is OutputChunk => file.type === 'chunk');
  const files = chunks.flatMap(({ moduleIds }) => moduleIds);
  const folders = files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  return [...new Set(folders)].toSorted();
}
