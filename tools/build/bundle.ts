// Bundles the program: one file for each thread's entry, and the chunks that they share or load later, all
// in one flat folder, because threads find the other entries beside their own file. Nothing is minified:
// names and lines in a stack trace are worth more than the disk, and it was measured to save no memory once
// comments are dropped and what is never used is left out (idle, resident: 103.8 MB so, 104.4 MB minified
// as well, 107.1 MB with all). koffi stays outside, since it is native; it is the only dependency of the
// built package.

import { globSync } from 'node:fs';
import { basename } from 'node:path';

import { rolldown, type OutputChunk, type RolldownOutput } from 'rolldown';

import { ROOT } from '../run.ts';
import { leanHttp } from './lean-http.ts';
import { leaveOut } from './leave-out.ts';

/** The command, and every thread that there is: a new one is bundled without being named here. */
function entries(): Record<string, string> {
  const threads = globSync('src/service/threads/*-entry.ts', { cwd: ROOT });
  const named = threads.map((path) => [basename(path, '.ts'), path] as const);
  return { main: 'src/cli/main.ts', ...Object.fromEntries(named) };
}

/** The folders of the npm packages whose code is in the bundle. */
export async function bundle(folder: string): Promise<string[]> {
  const build = await rolldown({
    cwd: ROOT,
    input: entries(),
    platform: 'node',
    external: ['koffi', /^node:(?!http$)/],
    plugins: [leaveOut, leanHttp],
    // Nothing of ours does anything by being loaded, except the entries: a thread loads only what it uses.
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
