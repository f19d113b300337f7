/**
 * @module
 * The page of the browser test: runs vectors and a recovery on the bundled library and posts what
 * came of it. It loads no Node API and none of the test runner.
 */

import {
  authorityId,
  CODEC_V1,
  chunkIndex,
  chunkSourceFrom,
  createRecovery,
  dataSourceFrom,
  encodeAvailableData,
  encodeReceipt,
  HEX_TRIE_COMMITMENT,
  hashPov,
  hashReady,
  hashValidationData,
  sessionDirectoryFrom,
} from '../../src/index.ts';
import { Checks, type VectorRunner } from '../vectors/runner.ts';
import { decodeRunner } from '../vectors/runners/decode.ts';
import { erasureV1Runner } from '../vectors/runners/erasure-v1.ts';
import { mappingRunner } from '../vectors/runners/mapping.ts';
import { proofsRunner } from '../vectors/runners/proofs.ts';

/** What a vector file gave. */
export type VectorReport = { readonly checks: number; readonly failed: readonly string[] };

/** What a page posts; all of it is JSON. */
export type PageReport = {
  /** The error that ended the page, with its stack. */
  readonly error?: string;
  readonly isIsolated: boolean;
  readonly hasSharedMemory: boolean;
  readonly vectors: Readonly<Record<string, VectorReport>>;
  /** `from` of a recovery whose data are the ones that were committed to. */
  readonly recoveredFrom?: string;
  /** Arguments of every `console.warn`, as text. */
  readonly warnings: readonly string[];
};

/** The parts of a browser that the page uses; the checkout's types are Node's. */
type Browser = {
  readonly crossOriginIsolated: boolean;
  readonly location: { href: string };
};

const browser = globalThis as unknown as Browser;

/** Vector files, as the site serves them, and who reads them. */
const RUNNERS: readonly (readonly [string, VectorRunner])[] = [
  ['decode.json', decodeRunner],
  ['erasure-v1.json', erasureV1Runner],
  ['proofs.json', proofsRunner],
  ['mapping.json', mappingRunner],
];

async function runVectors(): Promise<Record<string, VectorReport>> {
  const reports: Record<string, VectorReport> = {};
  for (const [file, run] of RUNNERS) {
    const content: unknown = await (await fetch(`./vectors/${file}`)).json();
    const checks = new Checks();
    run(content, checks);
    reports[file] = { checks: checks.count, failed: checks.failed.slice(0, 10) };
  }
  return reports;
}

/** Recovers a candidate of 64 KiB from the chunks of 12 validators, four of which have none. */
async function recover(): Promise<string> {
  const zero = new Uint8Array(32);
  const validationData = {
    parentHead: zero,
    relayParentNumber: 7,
    relayParentStorageRoot: zero,
    maxPovSize: 1 << 20,
  };
  const blockData = Uint8Array.from({ length: 65_536 }, (_, i) => (i * i) >> 5);
  const data = { pov: { blockData }, validationData };
  const chunks = CODEC_V1.encodeChunks(encodeAvailableData(data), 12);
  const { root, proofs } = HEX_TRIE_COMMITMENT.commit(chunks);
  const receipt = encodeReceipt({
    version: 'v2',
    paraId: 2_000,
    coreIndex: 0,
    sessionIndex: 1,
    relayParent: zero,
    paraHeadHash: zero,
    validationDataHash: hashValidationData(validationData),
    povHash: hashPov(data.pov),
    erasureRoot: root,
    validationCodeHash: zero,
    commitmentsHash: zero,
  });
  const validators = chunks.map((_, v) => authorityId(`validator ${v}`));
  const session = { index: 1, validators, groups: [], nodeFeatures: [] };
  const recovery = createRecovery({
    directory: sessionDirectoryFrom({
      session: async () => session,
      locate: async () => undefined,
    }),
    chunkSource: chunkSourceFrom({
      askChunk: async ({ validatorIndex: v }) => {
        const [bytes, proof] = [chunks[v], proofs[v]];
        return bytes === undefined || proof === undefined || v < 4
          ? { type: 'no_such_chunk', protocol: 'memory', bytes: 1 }
          : {
              type: 'chunk',
              protocol: 'memory',
              bytes: bytes.length,
              chunk: { bytes, chunkIndex: chunkIndex(v), proof },
            };
      },
    }),
    dataSource: dataSourceFrom({
      askData: async () => ({ type: 'no_such_data', protocol: 'memory', bytes: 1 }),
    }),
  });
  await recovery.start();
  const { data: got, from } = await recovery.recoverData({
    receipt: receipt.bytes,
    sessionIndex: 1,
  });
  await recovery.stop();
  const isExact =
    got.pov.blockData.length === blockData.length &&
    got.pov.blockData.every((byte, i) => byte === blockData[i]);
  return isExact ? from : 'other data';
}

async function report(): Promise<PageReport> {
  const warnings: string[] = [];
  console.warn = (...args) => void warnings.push(args.map(String).join(' '));
  const host = {
    isIsolated: browser.crossOriginIsolated,
    hasSharedMemory: typeof SharedArrayBuffer === 'function',
    warnings,
  };
  let vectors = {};
  try {
    await hashReady();
    vectors = await runVectors();
    return { ...host, vectors, recoveredFrom: await recover() };
  } catch (error: unknown) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { ...host, vectors, error: text };
  }
}

const answer = await fetch('./report', { method: 'POST', body: JSON.stringify(await report()) });
const next = await answer.text();
if (next !== '') {
  browser.location.href = next;
}
