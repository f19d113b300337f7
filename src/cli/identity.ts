/**
 * @module
 * `identity`: makes the key of a peer if it is absent, and prints the peer id.
 */

import type { Command } from 'commander';
import { type CliIo, printJson, printLine } from './io.ts';

/** Adds `identity` to the program. */
export function addIdentity(program: Command, io: CliIo): void {
  program
    .command('identity')
    .description("Print the peer id of a key file; make the file when it isn't there")
    .argument('<file>', '32-byte ed25519 secret, hex or raw; made with mode 0600')
    .option('--json', 'print one JSON object')
    .action(async (file: string, options: { json?: boolean }) => {
      // Loaded here: the commands that need no network do not wait for its libraries.
      const { loadOrMakeSecret, peerIdOfSecret } = await import('./identity-file.ts');
      const peerId = await peerIdOfSecret(await loadOrMakeSecret(file));
      if (options.json === true) {
        printJson(io, { peerId, file });
      } else {
        printLine(io, peerId);
      }
    });
}
