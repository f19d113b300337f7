/**
 * @module
 * A real candidate of 5 MiB, made by the command `candidate`, between both programs: chunks, proofs
 * and data.
 */

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EMPTY, lastValueFrom, of } from 'rxjs';
import { encodeChunkResponseV2, encodeDataResponse } from '../../protocol/messages.ts';
import { encodeAvailableData } from '../../src/codec/available-data.ts';
import { verifyChunk } from '../../src/commitment/verify-chunk.ts';
import { concatBytes, equalBytes, fromHex } from '../../src/primitives/bytes.ts';
import type { Chunk } from '../../src/primitives/chunk.ts';
import {
  type CandidateHash,
  candidateHash,
  chunkIndex,
  validatorIndex,
} from '../../src/primitives/ids.ts';
import { MAX_RESPONSE_BYTES } from '../../src/primitives/limits.ts';
import type { ServedStore } from '../../src/recovery/ports.ts';
import { SERVER, startClient, startPeer } from '../protocol/peers.ts';
import { check, type InteropCase, same } from './expect.ts';
import { type CandidateFile, GENESIS, sha256, syntheticBytes } from './fixture.ts';
import { request, serve } from './rust-peer.ts';

const VALIDATORS = 6;
const BLOCK_BYTES = 5_242_880;
const CLI = join(import.meta.dirname, '../../src/cli/main.ts');

/** A candidate and where its file is. */
type Made = {
  readonly path: string;
  readonly hash: CandidateHash;
  readonly erasureRoot: Uint8Array;
  readonly data: Uint8Array;
  readonly chunks: readonly Chunk[];
};

async function withCandidate<T>(work: (made: Made) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'interop-'));
  const [input, path] = [join(folder, 'block'), join(folder, 'candidate.json')];
  try {
    writeFileSync(input, syntheticBytes(1, BLOCK_BYTES));
    await promisify(execFile)(process.execPath, [
      ...[CLI, 'candidate', '--validators', String(VALIDATORS), '--in', input, '--out', path],
    ]);
    const file = JSON.parse(readFileSync(path, 'utf8')) as CandidateFile;
    const made = file.candidates[0]!;
    const byValidator = [...made.chunks].sort((a, b) => a.validatorIndex - b.validatorIndex);
    return await work({
      path,
      hash: candidateHash(made.candidateHash),
      erasureRoot: fromHex(made.erasureRoot),
      data: fromHex(made.availableData ?? ''),
      chunks: byValidator.map((chunk) => ({
        bytes: fromHex(chunk.chunk),
        chunkIndex: chunkIndex(chunk.chunkIndex),
        proof: chunk.proof.map((node) => fromHex(node)),
      })),
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function askTheRustPeer(made: Made): Promise<string> {
  const server = await serve(['--data', made.path]);
  const client = await startClient(server.location, { genesisHash: GENESIS });
  const question = {
    candidateHash: made.hash,
    sessionIndex: 1,
    authority: SERVER,
    maxBytes: MAX_RESPONSE_BYTES,
  };
  try {
    for (let validator = 0; validator < VALIDATORS; validator += 1) {
      const reply = await lastValueFrom(
        client.peer.chunks.askChunk({ ...question, validatorIndex: validatorIndex(validator) }),
      );
      check(
        reply.type === 'chunk' &&
          verifyChunk({
            erasureRoot: made.erasureRoot,
            chunk: reply.chunk,
            validatorCount: VALIDATORS,
          }).type === 'verified',
        `chunk of validator ${validator}`,
      );
    }
    const reply = await lastValueFrom(
      client.peer.data.askData({
        ...question,
        ...{ validatorIndex: validatorIndex(0), maxBytes: 16_777_216, dial: true },
      }),
    );
    check(
      reply.type === 'available_data' && equalBytes(encodeAvailableData(reply.data), made.data),
      'the data differs',
    );
    return `6 chunks of ${made.chunks[0]?.bytes.length} bytes proven, ${reply.bytes} bytes of data`;
  } finally {
    await client.stop();
    await server.stop();
  }
}

async function askedByTheRustPeer(made: Made): Promise<string> {
  const store: ServedStore = {
    serveChunk: (candidate, validator) => {
      const chunk = candidate === made.hash ? made.chunks[validator] : undefined;
      return chunk === undefined ? EMPTY : of(chunk);
    },
    serveAvailableData: (candidate) => (candidate === made.hash ? of(made.data) : EMPTY),
  };
  const server = await startPeer({ genesisHash: GENESIS, store });
  try {
    const { answers } = await request([
      ...['--to', server.location.addresses[0] ?? '', '--candidate', made.hash],
      ...['--chunks', '0-5', '--available-data', '--parallel', '2'],
    ]);
    same(answers.length, VALIDATORS + 1, 'answers');
    for (const answer of answers) {
      const expected =
        answer['kind'] === 'chunk'
          ? encodeChunkResponseV2(made.chunks[Number(answer['validatorIndex'])])
          : concatBytes(encodeDataResponse(made.data));
      same(answer['ok'], true, JSON.stringify(answer));
      same(answer['sha256'], sha256(expected), 'sha256');
    }
    return `6 chunks and ${made.data.length + 1} bytes of data, byte for byte`;
  } finally {
    await server.stop();
  }
}

/** The two cases. */
export const CANDIDATE_CASES: readonly InteropCase[] = [
  {
    ours: 'requester',
    name: 'a candidate of 5 MiB made by `candidate`',
    isQuick: false,
    run: () => withCandidate(askTheRustPeer),
  },
  {
    ours: 'responder',
    name: 'a candidate of 5 MiB made by `candidate`',
    isQuick: false,
    run: () => withCandidate(askedByTheRustPeer),
  },
];
