/**
 * @module
 * The whole job on any host: data are coded, committed to and recovered from part of their chunks,
 * through the entry of the package alone. Runs in browsers, from sources, from a build and, with the
 * one import rewritten, from an installed package.
 */

import * as ar from '../../src/index.ts';

/** What is coded and recovered; equal values give equal bytes everywhere. */
export type WholeJob = {
  readonly validatorCount: number;
  readonly povBytes: number;
  /** Whether a chunk can be had from a validator, which holds the chunk of its own index. */
  readonly has: (validator: number) => boolean;
  /** How the recovery does its work. */
  readonly workers: number;
  /** Candidates, coded and recovered one after the other; 1 when absent. */
  readonly times?: number;
  /** Whether the recovery is stopped at the end; it is when absent. */
  readonly stops?: boolean;
};

/** What came of it; all of it is JSON. */
export type WholeJobReport = {
  /** BLAKE2b-256 over all chunks of the first candidate, in order. */
  readonly chunks: string;
  readonly erasureRoot: string;
  /** Whether the data that came of every recovery are those that were coded. */
  readonly isExact: boolean;
  /** Where the last ones came from. */
  readonly from: string | undefined;
  /** `engine()` of the package. */
  readonly engine: ar.EngineChoice;
  /** What did the work of the last recovery, as its account says. */
  readonly work: ar.RecoveryAccount['work'];
  /** Events of the log at level `warn` and above with their reason, in order. */
  readonly warnings: readonly string[];
};

/** A candidate with all that its backers have. */
type Candidate = {
  readonly blockData: Uint8Array;
  readonly chunks: readonly Uint8Array[];
  readonly root: Uint8Array;
  readonly proofs: readonly ar.TrieProof[];
  readonly receipt: ar.CandidateReceipt;
};

const ZERO = new Uint8Array(32);

function candidateOf({ validatorCount, povBytes }: WholeJob, seed: number): Candidate {
  const validationData = {
    parentHead: ZERO,
    relayParentNumber: 7,
    relayParentStorageRoot: ZERO,
    maxPovSize: 16_777_216,
  };
  const blockData = Uint8Array.from(
    { length: povBytes },
    (_, i) => Math.imul(i, i ^ (seed + 0x9e37)) >>> 5,
  );
  const data = { pov: { blockData }, validationData };
  const chunks = ar.CODEC_V1.encodeChunks(ar.encodeAvailableData(data), validatorCount);
  const { root, proofs } = ar.HEX_TRIE_COMMITMENT.commit(chunks);
  const receipt = ar.encodeReceipt({
    version: 'v2',
    paraId: 2_000,
    coreIndex: 0,
    sessionIndex: 1,
    relayParent: ZERO,
    paraHeadHash: ZERO,
    validationDataHash: ar.hashValidationData(validationData),
    povHash: ar.hashPov(data.pov),
    erasureRoot: root,
    validationCodeHash: ZERO,
    commitmentsHash: ZERO,
  });
  return { blockData, chunks, root, proofs, receipt };
}

/** A log that keeps its warnings. */
function warningsInto(warnings: string[]): ar.Logger {
  const keep = (event: string, { reason = '' }: ar.LogFields = {}): void =>
    void warnings.push(`${event} ${String(reason)}`.trim());
  const drop = (): void => undefined;
  return { debug: drop, info: drop, warn: keep, error: keep };
}

/** A recovery of candidates from those validators that have their chunk. */
function recoveryOf(
  candidates: readonly Candidate[],
  { validatorCount, has, workers }: WholeJob,
  logger: ar.Logger,
): ar.Recovery {
  const byHash = new Map(candidates.map((one) => [ar.candidateHashOf(one.receipt), one]));
  const validators = Array.from({ length: validatorCount }, (_, v) => ar.authorityId(`v${v}`));
  return ar.createRecovery({
    directory: ar.sessionDirectoryFrom({
      session: async (index) => ({ index, validators, groups: [], nodeFeatures: [] }),
      locate: async () => undefined,
    }),
    chunkSource: ar.chunkSourceFrom({
      askChunk: async ({ candidateHash, validatorIndex: v }) => {
        const { chunks, proofs } = byHash.get(candidateHash) ?? {};
        const [bytes, proof] = [chunks?.[v], proofs?.[v]];
        if (bytes === undefined || proof === undefined || !has(v)) {
          return { type: 'no_such_chunk', protocol: 'memory', bytes: 1 };
        }
        const chunk = { bytes, chunkIndex: ar.chunkIndex(v), proof };
        return { type: 'chunk', protocol: 'memory', bytes: bytes.length, chunk };
      },
    }),
    dataSource: ar.dataSourceFrom({
      askData: async () => ({ type: 'no_such_data', protocol: 'memory', bytes: 1 }),
    }),
    logger,
    workers,
  });
}

/** Does a job. */
export async function doWholeJob(job: WholeJob): Promise<WholeJobReport> {
  await ar.hashReady();
  const candidates = Array.from({ length: job.times ?? 1 }, (_, i) => candidateOf(job, i));
  const warnings: string[] = [];
  const recovery = recoveryOf(candidates, job, warningsInto(warnings));
  await recovery.start();
  const isExact: boolean[] = [];
  let last: Awaited<ReturnType<ar.Recovery['recoverData']>> | undefined;
  for (const { receipt, blockData } of candidates) {
    last = await recovery.recoverData({ receipt: receipt.bytes, sessionIndex: 1 });
    const got = last.data.pov.blockData;
    isExact.push(got.length === blockData.length && got.every((byte, i) => byte === blockData[i]));
  }
  if (job.stops !== false) {
    await recovery.stop();
  }
  const [{ chunks, root } = { chunks: [], root: ZERO }] = candidates;
  return {
    chunks: ar.toHex(ar.blake2b256(ar.concatBytes([...chunks]))),
    erasureRoot: ar.toHex(root),
    isExact: isExact.every((holds) => holds),
    from: last?.from,
    engine: ar.engine(),
    work: last?.account.work,
    warnings,
  };
}
