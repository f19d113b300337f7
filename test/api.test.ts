import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { entrySources } from './support/entries.ts';
import { ROOT } from './support/source-tree.ts';

const entries = Object.entries(entrySources());

/** Names that each entry exports, types included, as the compiler sees them. */
function exportedNames(): ReadonlyMap<string, readonly string[]> {
  const config = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, ROOT);
  const program = ts.createProgram(
    entries.map(([, source]) => join(ROOT, source)),
    options,
  );
  const checker = program.getTypeChecker();
  return new Map(
    entries.map(([name, source]) => {
      const file = program.getSourceFile(join(ROOT, source));
      const symbol = file === undefined ? undefined : checker.getSymbolAtLocation(file);
      const names = symbol === undefined ? [] : checker.getExportsOfModule(symbol);
      return [name, names.map((one) => one.name).sort()];
    }),
  );
}

describe('the public surface', () => {
  // A change of the file is a change of the API: approve it with `npm test -- test/api.test.ts -u`
  // and name it in the changelog.
  it('exports the names that api.txt pins, per entry', async () => {
    const names = exportedNames();
    const lines: string[] = [];
    for (const [entry, source] of entries) {
      const loaded = (await import(pathToFileURL(join(ROOT, source)).href)) as object;
      lines.push(entry);
      for (const name of names.get(entry) ?? []) {
        lines.push(`  ${name in loaded ? 'value' : 'type '} ${name}`);
      }
    }
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('api.txt');
  });
});
