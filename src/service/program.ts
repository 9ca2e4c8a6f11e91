// The program as the command line starts it. Large modules are imported on demand, so that the door of this
// room loads little: the entry file imports it before the compile cache is enabled.

import type { SettingRow } from './offline.ts';
import { machineDefaults, type Located } from '#store/settings';
import type { ServeEnd } from './supervisor/supervision.ts';

export interface ServiceOptions {
  readonly located: Located;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly compileCacheDir: string;
}

export type RunEnd = ServeEnd | { readonly end: 'misconfigured'; readonly problems: readonly string[] };

/** Runs the service in this process until it ends. */
export async function runService({
  located,
  env,
  version,
  compileCacheDir,
}: ServiceOptions): Promise<RunEnd> {
  const { inherit } = await import('./supervisor/handover/inheritance.ts');
  const inheritance = inherit(process.env);
  const { readSources } = await import('#store/settings/sources');
  const sources = readSources(env, located.file);
  const problems = [...(located.problem === undefined ? [] : [located.problem]), ...sources.problems];
  if (typeof inheritance === 'string') problems.push(inheritance);
  if (problems.length > 0 || typeof inheritance === 'string') return misconfigured(inheritance, problems);
  const { serve } = await import('./supervisor/serve.ts');
  const ended = await serve({
    dataDir: located.dataDir,
    version,
    sources,
    defaults: machineDefaults(located),
    compileCacheDir,
    inheritance,
  });
  if (inheritance !== undefined && 'problem' in ended) await reportFailure(ended.problem);
  return ended;
}

async function misconfigured(inheritance: unknown, problems: readonly string[]): Promise<RunEnd> {
  if (inheritance !== undefined) await reportFailure(problems.join(' '));
  return { end: 'misconfigured', problems };
}

/** A predecessor that waits for this process then keeps the service, and logs the problem. */
async function reportFailure(problem: string): Promise<void> {
  const { sendToPredecessor } = await import('./supervisor/handover/predecessor.ts');
  await sendToPredecessor({ kind: 'failed', problem });
}

export interface SettingsInspection {
  readonly rows: readonly SettingRow[];
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** Values, sources and problems of all settings, without a running service. */
export async function inspectSettings(
  located: Located,
  env: ServiceOptions['env'],
): Promise<SettingsInspection> {
  const { readSettingsOffline } = await import('./offline.ts');
  return readSettingsOffline(located, env);
}
