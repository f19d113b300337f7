/**
 * @module
 * `npm run interop`: every case against the Rust peer, one line per case; exit code 1 on a mismatch.
 * The variable `LITEP2P_PEER` names the built peer; without it nothing runs, which is said.
 */

import { CANDIDATE_CASES } from './candidate-cases.ts';
import { REQUESTER_CASES } from './requester-cases.ts';
import { RESPONDER_CASES } from './responder-cases.ts';
import { rustPeerPath } from './rust-peer.ts';

async function main(): Promise<number> {
  const cases = [...REQUESTER_CASES, ...RESPONDER_CASES, ...CANDIDATE_CASES];
  if (rustPeerPath() === undefined) {
    process.stdout.write(
      `skipped: all ${cases.length} cases. LITEP2P_PEER names no built Rust peer.\n`,
    );
    return 0;
  }
  let failed = 0;
  for (const one of cases) {
    const title = `our ${one.ours}, ${one.name}`;
    try {
      process.stdout.write(`ok    ${title}: ${await one.run()}\n`);
    } catch (error: unknown) {
      failed += 1;
      process.stdout.write(`FAIL  ${title}: ${error instanceof Error ? error.message : error}\n`);
    }
  }
  process.stdout.write(`${cases.length - failed} of ${cases.length} cases as expected\n`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main();
