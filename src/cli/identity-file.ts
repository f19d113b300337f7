/**
 * @module
 * The file with a peer's secret: 32 bytes of ed25519, raw or in hex. The secret is never printed.
 */

import { randomBytes } from 'node:crypto';
import { link, readFile, unlink, writeFile } from 'node:fs/promises';
import { generateKeyPairFromSeed } from '@libp2p/crypto/keys';
import { peerIdFromPrivateKey } from '@libp2p/peer-id';
import { fileFault, misuse } from './failure.ts';
import { hexOf, tryBytesOfHex } from './hex.ts';

/** Size of an ed25519 secret, in bytes. */
const SECRET_BYTES = 32;

/** Reads the secret of a file, and makes the file (mode 0600) when there is none. */
export async function loadOrMakeSecret(path: string): Promise<Uint8Array> {
  const held = await readSecret(path);
  if (held !== undefined) {
    return held;
  }
  await makeSecret(path);
  const made = await readSecret(path);
  if (made === undefined) {
    throw misuse(`${path}: gone right after it was made`);
  }
  return made;
}

/** The peer id of a secret, in text form. */
export async function peerIdOfSecret(secret: Uint8Array): Promise<string> {
  return peerIdFromPrivateKey(await generateKeyPairFromSeed('Ed25519', secret)).toString();
}

async function readSecret(path: string): Promise<Uint8Array | undefined> {
  let content: Uint8Array;
  try {
    content = new Uint8Array(await readFile(path));
  } catch (error: unknown) {
    if ((error as { code?: unknown }).code === 'ENOENT') {
      return undefined;
    }
    throw fileFault('read', path, error);
  }
  if (content.length === SECRET_BYTES) {
    return content;
  }
  const bytes = tryBytesOfHex(new TextDecoder().decode(content).trim());
  if (bytes?.length !== SECRET_BYTES) {
    throw misuse(`${path}: expected a secret of ${SECRET_BYTES} bytes, raw or in hex`);
  }
  return bytes;
}

/** Written beside and linked into place: of two makers at once one wins, and no half file is seen. */
async function makeSecret(path: string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, `${hexOf(randomBytes(SECRET_BYTES))}\n`, {
      flag: 'wx',
      mode: 0o600,
    });
    await link(temporary, path);
  } catch (error: unknown) {
    if ((error as { code?: unknown }).code !== 'EEXIST') {
      throw fileFault('write', path, error);
    }
  } finally {
    await unlink(temporary).catch(() => {});
  }
}
