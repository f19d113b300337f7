import { TestScheduler } from 'rxjs/testing';
import { describe, expect, it } from 'vitest';
import { encodeChunkResponseV2 } from '../../protocol/messages.ts';
import { CODEC_V1 } from '../../src/erasure/index.ts';
import { chunkIndex } from '../../src/primitives/ids.ts';
import {
  MAX_PROOF_NODE_BYTES,
  MAX_PROOF_NODES,
  MAX_RESPONSE_BYTES,
} from '../../src/primitives/limits.ts';
import { maxChunkAnswerBytes } from '../../strategies/answer-limit.ts';
import { testContext } from './support.ts';

const scheduler = new TestScheduler(() => {});

describe('maxChunkAnswerBytes', () => {
  it.each([2, 3, 7, 10])('has room for every answer of a candidate of %i validators', (n) => {
    const { context } = testContext({ validatorCount: n, scheduler });
    const answer = encodeChunkResponseV2({
      bytes: new Uint8Array(CODEC_V1.chunkBytes(MAX_RESPONSE_BYTES, n)),
      chunkIndex: chunkIndex(n - 1),
      proof: Array.from({ length: MAX_PROOF_NODES }, () => new Uint8Array(MAX_PROOF_NODE_BYTES)),
    });
    const limit = maxChunkAnswerBytes(context);
    expect(limit).toBeGreaterThanOrEqual(answer.length);
    expect(limit - answer.length).toBeLessThan(16);
  });

  it('is a share of the full data, so that fifty answers at once are bounded', () => {
    const { context } = testContext({ validatorCount: 1_000, povBytes: 64, scheduler });
    // 16 MiB over k = 256, and a proof of 8 x 614 bytes.
    expect(maxChunkAnswerBytes(context)).toBe(65_536 + 11 + 4_912);
  });
});
