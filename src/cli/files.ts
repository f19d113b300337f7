/**
 * @module
 * Reading and writing files for the commands. A file is written beside its place and renamed, so
 * that nobody ever sees half of it.
 */

import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { open, readFile, realpath, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CliError, fileFault, misuse } from './failure.ts';
import { ENDING_SIGNALS } from './io.ts';

/** Pieces below this size are joined before they are written; a small write costs a system call. */
const WRITE_BYTES = 1_048_576;

/** The whole content of a file. */
export async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return new Uint8Array(await readFile(path));
  } catch (error: unknown) {
    throw fileFault('read', path, error);
  }
}

/** A file as JSON, not yet looked at. */
export async function readJson(path: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error: unknown) {
    throw fileFault('read', path, error);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error: unknown) {
    throw misuse(`${path}: not JSON`, error);
  }
}

/**
 * Notices before any work what would keep its result from being written: no folder to write to, or a
 * folder in the place of the file.
 *
 * @param option - For messages, such as `--out`.
 * @param path - Nothing is looked at when the option was not given.
 */
export async function assertPlaceForFile(option: string, path: string | undefined): Promise<void> {
  if (path === undefined) {
    return;
  }
  if (path === '') {
    throw misuse(`${option}: expected a path`);
  }
  if ((await kindOf(path)) === 'folder') {
    throw new CliError('local_fault', `${option}: a folder, expected a file: ${path}`);
  }
  const folder = /[\\/]$/.test(path) ? path : dirname(path);
  if (['nothing', 'file'].includes(await kindOf(folder))) {
    throw new CliError('local_fault', `${option}: no such folder: ${folder}`);
  }
}

/** What is at a path; `unknown` where we may not look. */
async function kindOf(path: string): Promise<'folder' | 'file' | 'nothing' | 'unknown'> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file';
  } catch (error: unknown) {
    const { code } = error as { code?: unknown };
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'nothing' : 'unknown';
  }
}

/**
 * Writes a file as a whole or not at all. A link is followed; what is no regular file (a pipe, a
 * device) is written to directly.
 *
 * @param pieces - The content in order; strings are written as UTF-8. Pulled one by one.
 */
export async function writeAtomically(
  path: string,
  pieces: Iterable<string | Uint8Array>,
): Promise<void> {
  try {
    const target = await resolveTarget(path);
    if (!target.isReplaceable) {
      await writePieces(target.path, pieces, 'w');
      return;
    }
    const temporary = join(
      dirname(target.path),
      `.${basename(target.path)}.${randomBytes(6).toString('hex')}.tmp`,
    );
    const unguard = guard(temporary);
    try {
      await writePieces(temporary, pieces, 'wx');
      await rename(temporary, target.path);
    } catch (error: unknown) {
      await unlink(temporary).catch(() => {});
      throw error;
    } finally {
      unguard();
    }
  } catch (error: unknown) {
    throw fileFault('write', path, error);
  }
}

/**
 * Removes a half-written file when a signal ends the process; where a command listens for signals, it
 * decides. Only while a file is written: a handler keeps a signal waiting for as long as we compute.
 *
 * @returns What takes the guard away.
 */
function guard(path: string): () => void {
  const handlers = ENDING_SIGNALS.map((name) => {
    const onSignal = (): void => {
      if (process.listenerCount(name) === 1) {
        rmSync(path, { force: true });
        process.off(name, onSignal);
        process.kill(process.pid, name);
      }
    };
    process.on(name, onSignal);
    return { name, onSignal };
  });
  return () => {
    for (const { name, onSignal } of handlers) {
      process.off(name, onSignal);
    }
  };
}

type Target = { readonly path: string; readonly isReplaceable: boolean };

async function resolveTarget(path: string): Promise<Target> {
  try {
    const real = await realpath(path);
    return { path: real, isReplaceable: (await stat(real)).isFile() };
  } catch (error: unknown) {
    if ((error as { code?: unknown }).code === 'ENOENT') {
      return { path, isReplaceable: true };
    }
    throw error;
  }
}

async function writePieces(
  path: string,
  pieces: Iterable<string | Uint8Array>,
  flags: 'w' | 'wx',
): Promise<void> {
  const handle = await open(path, flags);
  try {
    let waiting: Uint8Array[] = [];
    let waitingBytes = 0;
    for (const piece of pieces) {
      const bytes = typeof piece === 'string' ? Buffer.from(piece, 'utf8') : piece;
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (waitingBytes >= WRITE_BYTES) {
        await handle.writeFile(Buffer.concat(waiting));
        waiting = [];
        waitingBytes = 0;
      }
    }
    await handle.writeFile(Buffer.concat(waiting));
  } finally {
    await handle.close();
  }
}
