/**
 * @module
 * Bundles for browsers, made by vite with its defaults for an application, from the built package.
 */

import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, createLogger, type Plugin, type Rolldown } from 'vite';
import { ROOT, SOURCE_FOLDERS } from '../support/source-tree.ts';

/** A bundle in memory. */
export type Bundle = {
  /** Name of the file to load. */
  readonly entry: string;
  /** Every file by name, those of workers too. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  /** Modules that went into it, where the bundler says. */
  readonly modules: readonly string[];
  /** What the bundler warned of, such as a Node built-in that browsers lack. */
  readonly warnings: readonly string[];
};

/**
 * Bundles one module and what it loads.
 *
 * @param input - A file; what it exports is kept.
 * @param built - Folder of the built package: sources that are imported are taken from there.
 */
export async function bundle(input: string, built: string): Promise<Bundle> {
  const warnings: string[] = [];
  const logger = createLogger('warn');
  logger.warn = (message) => void warnings.push(message);
  logger.warnOnce = logger.warn;
  const output = (await build({
    configFile: false,
    root: dirname(input),
    base: './',
    publicDir: false,
    customLogger: logger,
    plugins: [fromBuilt(built)],
    build: {
      write: false,
      minify: false,
      modulePreload: false,
      rolldownOptions: { input, preserveEntrySignatures: 'strict' },
    },
  })) as Rolldown.RolldownOutput;
  const chunks = output.output.filter((file) => file.type === 'chunk');
  return {
    entry: chunks.find((chunk) => chunk.isEntry)?.fileName ?? '',
    files: new Map(
      output.output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source]),
    ),
    modules: chunks.flatMap((chunk) => chunk.moduleIds),
    warnings,
  };
}

/** Takes sources of the library from the build, and `node:crypto` of the vector runners from a stand-in. */
function fromBuilt(built: string): Plugin {
  const standIn = fileURLToPath(new URL('./node-crypto.ts', import.meta.url));
  return {
    name: 'from-built',
    enforce: 'pre',
    resolveId(source, importer) {
      if (importer === undefined) {
        return undefined;
      }
      if (source === 'node:crypto' && importer.startsWith(join(ROOT, 'test', 'vectors'))) {
        return standIn;
      }
      const path = relative(ROOT, resolve(dirname(importer), source)).replaceAll('\\', '/');
      const isSource = SOURCE_FOLDERS.some((folder) => path.startsWith(`${folder}/`));
      return isSource && path.endsWith('.ts') && source.startsWith('.')
        ? join(built, path.replace(/\.ts$/, '.js'))
        : undefined;
    },
  };
}
