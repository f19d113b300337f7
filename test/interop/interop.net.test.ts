/**
 * @module
 * The quick cases of the interop run, where `LITEP2P_PEER` names a built Rust peer; else they count
 * as skipped.
 */

import { describe, it } from 'vitest';
import { REQUESTER_CASES } from './requester-cases.ts';
import { RESPONDER_CASES } from './responder-cases.ts';
import { rustPeerPath } from './rust-peer.ts';

describe('interop with a Rust peer', () => {
  for (const one of [...REQUESTER_CASES, ...RESPONDER_CASES].filter((entry) => entry.isQuick)) {
    it.skipIf(rustPeerPath() === undefined)(`our ${one.ours}, ${one.name}`, async () => {
      await one.run();
    });
  }
});
