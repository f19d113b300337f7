/**
 * @module
 * The whole job on any host: data are coded, committed to and recovered from part of their chunks,
 * through the entry of the package alone. Runs in browsers, from sources, from a build and, with the
 * one import rewritten, from an installed package.
 */

import { codingWork } from '../../src/coding/kernel-work.ts';
import * as ar from '../../src/index.ts';

/** What is coded and recovered; equal values give equal bytes everywhere. */
export type WholeJob = {
  readonly validatorCount: number;
  readonly povBytes: number;
  /** Whether a chunk can be had from a validator, which holds the chunk of its own index. */
  readonly has: (validator: number) => boolean;
  /** Recoveries, one after the other on one work; 1 when absent. */
  readonly times?: number;
  /** Whether the work is closed at the end; it is when absent. */
  readonly closes?: boolean;
};

type Recovered = Awaited<ReturnType<ar.Recovery['recoverData']>>;

/** What came of it; all of it is JSON. */
export type WholeJobReport = {
  /** BLAKE2b-256 over all chunks, in order. */
  readonly chunks: string;
  readonly erasureRoot: string;
  /** Whether the data of every recovery are those that were coded. */
  readonly isExact: boolean;
  readonly from: string | undefined;
  /** What did the work, as the work itself says it afterwards. */
  readonly description: ar.WorkDescription;
  /** What did the work, as the account says it. */
  readonly work: ar.RecoveryAccount['work'];
  /** What the work told, and events of the log at level `warn` and above, in order. */
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

/** A recovery of a candidate from those validators that have their chunk. */
function recoveryOf(
  { chunks, proofs }: ReturnType<typeof candidateOf>,
  has: WholeJob['has'],
  ports: Pick<ar.RecoveryPorts, 'logger' | 'work'>,
): ar.Recovery {
  const validators = chunks.map((_, v) => ar.authorityId(`validator ${v}`));
  return ar.createRecovery({
    directory: ar.sessionDirectoryFrom({
      session: async (index) => ({ index, validators, groups: [], nodeFeatures: [] }),
      locate: async () => undefined,
    }),
    chunkSource: ar.chunkSourceFrom({
      askChunk: async ({ validatorIndex: v }) => {
        const [bytes, proof] = [chunks[v], proofs[v]];
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
    ...ports,
  });
}

/** Does a job with so many workers: codes once, and recovers as often as it says. */
export async function doWholeJob(job: WholeJob, workers: number): Promise<WholeJobReport> {
  await ar.hashReady();
  const candidate = candidateOf(job);
  const { blockData, chunks, root, receipt } = candidate;
  const warnings: string[] = [];
  const work = codingWork({ workers, warn: (warning) => void warnings.push(warning) });
  const recoveries: Recovered[] = [];
  for (let i = 0; i < (job.times ?? 1); i += 1) {
    const recovery = recoveryOf(candidate, job.has, { logger: warningsInto(warnings), work });
    await recovery.start();
    recoveries.push(await recovery.recoverData({ receipt, sessionIndex: 1 }));
    await recovery.stop();
  }
  const { description } = work;
  if (job.closes !== false) {
    work.close?.();
  }
  const isExact = ({ data }: Recovered): boolean =>
    data.pov.blockData.length === blockData.length &&
    data.pov.blockData.every((byte, i) => byte === blockData[i]);
  const last = recoveries.at(-1);
  return {
    chunks: ar.toHex(ar.blake2b256(ar.concatBytes(chunks))),
    erasureRoot: ar.toHex(root),
    isExact: recoveries.every(isExact),
    from: last?.from,
    description,
    work: last?.account.work,
    warnings,
  };
}
