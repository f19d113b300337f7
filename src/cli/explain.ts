/**
 * @module
 * `explain`: reads what `recover --report` wrote and says why, and because of whom.
 */

import type { Command } from 'commander';
import { readJson } from './files.ts';
import { type CliIo, printJson, printLine } from './io.ts';

/** Adds `explain` to the program. */
export function addExplain(program: Command, io: CliIo): void {
  program
    .command('explain')
    .description('Say why a recovery was slow or failed, and because of whom')
    .argument('<file>', 'JSON written by recover --report')
    .option('--json', 'print the explanation, with the report, as one JSON object')
    .addHelpText(
      'after',
      '\nThe first five lines: how it ended and after how long; what took the most time; whom it waited' +
        '\nfor longest; who failed with what; how many chunks were missing. Ends with 0 whatever the' +
        '\nrecovery ended in, with 1 for a file that is no report.',
    )
    .action((file: string, options: { readonly json?: boolean }) => runExplain(io, file, options));
}

async function runExplain(
  io: CliIo,
  file: string,
  options: { readonly json?: boolean },
): Promise<void> {
  const [{ parseReportFile }, { explanationOf }, { explainRecovery }] = await Promise.all([
    import('./report-file.ts'),
    import('./explanation.ts'),
    import('./explain-recovery.ts'),
  ]);
  const outcome = parseReportFile(await readJson(file), file);
  if (options.json === true) {
    printJson(io, explanationOf(outcome));
    return;
  }
  for (const line of explainRecovery(outcome)) {
    printLine(io, line);
  }
}
