// `sluice serve`: runs the service in this process until it is stopped.

import type { Command } from 'commander';
import type { CommandContext } from './context.ts';
import { withExamples } from './options.ts';
import { serve } from './serve-here.ts';

export function registerServe(program: Command, context: CommandContext): void {
  const serving = program.command('serve').description('run the service');
  withExamples(serving, 'sluice serve', 'sluice --config ./sluice.toml serve').action(async () =>
    context.end(await serve(context.options, context.terminal)),
  );
}
