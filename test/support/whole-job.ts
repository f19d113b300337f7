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
};

/** What came of it; all of it is JSON. */
export type WholeJobReport = {
  /** BLAKE2b-256 over all chunks, in order. */
  readonly chunks: string;
  readonly erasureRoot: string;
  /** Whether the recovered data are those that were coded. */
  readonly isExact: boolean;
  readonly from: string;
  /** What did the work of the recovery, where the account says so. */
  readonly work: unknown;
  /** Events of the log at level `warn` and above. */
  readonly warnings: readonly string[];
};

const ZERO = new Uint8Array(32);

/** A candidate with its chunks. */
function candidateOf({ validatorCount, povBytes }: WholeJob) {
  const validationData = {
    parentHead: ZERO,
    relayParentNumber: 7,
    relayParentStorageRoot: ZERO,
    maxPovSize: 16_777_216,
  };
  const blockData = Uint8Array.from({ length: povBytes }, (_, i) => Math.imul(i, i ^ 0x9e37) >>> 5);
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
  return { blockData, chunks, root, proofs, receipt: receipt.bytes };
}

/** A log of which the warnings are kept, as `event field=value`. */
function warningsInto(warnings: string[]): ar.Logger {
  const keep = (event: string, fields: ar.LogFields = {}): void => {
    const said = Object.entries(fields).map(([name, value]) => ` ${name}=${String(value)}`);
    warnings.push(event + said.join(''));
  };
  const drop = (): void => undefined;
  return { debug: drop, info: drop, warn: keep, error: keep };
}

/**
 * Does a job once.
 *
 * @param ports - Taken in place of the defaults: what does the work, above all.
 */
export async function doWholeJob(
  job: WholeJob,
  ports: Partial<ar.RecoveryPorts> = {},
): Promise<WholeJobReport> {
  await ar.hashReady();
  const { blockData, chunks, root, proofs, receipt } = candidateOf(job);
  const validators = chunks.map((_, v) => ar.authorityId(`validator ${v}`));
  const warnings: string[] = [];
  const recovery = ar.createRecovery({
    directory: ar.sessionDirectoryFrom({
      session: async (index) => ({ index, validators, groups: [], nodeFeatures: [] }),
      locate: async () => undefined,
    }),
    chunkSource: ar.chunkSourceFrom({
      askChunk: async ({ validatorIndex: v }) => {
        const [bytes, proof] = [chunks[v], proofs[v]];
        if (bytes === undefined || proof === undefined || !job.has(v)) {
          return { type: 'no_such_chunk', protocol: 'memory', bytes: 1 };
        }
        const chunk = { bytes, chunkIndex: ar.chunkIndex(v), proof };
        return { type: 'chunk', protocol: 'memory', bytes: bytes.length, chunk };
      },
    }),
    dataSource: ar.dataSourceFrom({
      askData: async () => ({ type: 'no_such_data', protocol: 'memory', bytes: 1 }),
    }),
    logger: warningsInto(warnings),
    ...ports,
  });
  await recovery.start();
  const { data, from, account } = await recovery.recoverData({ receipt, sessionIndex: 1 });
  await recovery.stop();
  const recovered = data.pov.blockData;
  return {
    chunks: ar.toHex(ar.blake2b256(ar.concatBytes(chunks))),
    erasureRoot: ar.toHex(root),
    isExact:
      recovered.length === blockData.length && recovered.every((byte, i) => byte === blockData[i]),
    from,
    work: 'work' in account ? account.work : undefined,
    warnings,
  };
}
