// A browser loads the door of the client. This test bundles it and checks the size of the download.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { rolldown } from 'rolldown';

import { ROOT } from '../run.ts';

const MAX_GZIP_BYTES = 4_000;

test('the door #contract/client loads no schema and is small', async () => {
  const build = await rolldown({ cwd: ROOT, input: 'src/contract/client/index.ts', platform: 'browser' });
  const { output } = await build.generate({ format: 'esm', minify: true });
  await build.close();
  const [chunk] = output;
  assert.deepEqual(
    chunk.moduleIds.map((path) => path.replace(`${ROOT}/`, '')),
    ['src/contract/client/routes.ts', 'src/contract/client/client.ts', 'src/contract/client/index.ts'],
  );
  const bytes = gzipSync(chunk.code).length;
  assert.ok(bytes <= MAX_GZIP_BYTES, `${bytes} bytes of gzip`);
});
