/**
 * @module
 * `receipt`: what a candidate receipt says.
 */

import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import {
  type CandidateReceipt,
  candidateHashOf,
  candidateReceipt,
  descriptorVersion,
  receiptCommitmentsHash,
  receiptCoreIndex,
  receiptErasureRoot,
  receiptParaHeadHash,
  receiptParaId,
  receiptPovHash,
  receiptRelayParent,
  receiptSchedulingSession,
  receiptSessionIndex,
  receiptValidationCodeHash,
  receiptValidationDataHash,
} from '../codec/candidate.ts';
import { hashReady } from '../primitives/hash.ts';
import { type CandidateHash, candidateHash } from '../primitives/ids.ts';
import { RECEIPT_BYTES } from '../primitives/limits.ts';
import {
  type CandidateFile,
  isCandidateFile,
  parseCandidateFile,
  pickCandidate,
} from './candidate-file.ts';
import { fileFault, misuse } from './failure.ts';
import { hexOf, tryBytesOfHex } from './hex.ts';
import { type CliIo, printJson, printLine } from './io.ts';

/** A receipt, with what the file around it says about the candidate. */
export type ReadReceipt = {
  readonly receipt: CandidateReceipt;
  readonly coreIndex: number | undefined;
  readonly sessionIndex: number | undefined;
  readonly validatorCount: number | undefined;
  readonly genesisHash: Uint8Array | undefined;
};

/** Adds `receipt` to the program. */
export function addReceipt(program: Command, io: CliIo): void {
  program
    .command('receipt')
    .description('Print what a candidate receipt says')
    .argument('<hex|file>', 'receipt in hex, or a file: raw, hex, or a candidate file')
    .option('--candidate <hash>', 'which candidate of a file with several')
    .option('--json', 'print one JSON object')
    .action(async (text: string, options: { candidate?: string; json?: boolean }) => {
      const { receipt } = await readReceipt(text, options.candidate);
      const fields = describe(receipt);
      if (options.json === true) {
        printJson(io, fields);
        return;
      }
      for (const [name, value] of Object.entries(fields)) {
        printLine(io, `${name}: ${value ?? 'none'}`);
      }
    });
}

/**
 * Reads a receipt from the command line: hex, or a file that holds it raw, in hex, or as a candidate
 * file.
 *
 * @param wanted - Hash of the candidate, for a file with several.
 */
export async function readReceipt(text: string, wanted: string | undefined): Promise<ReadReceipt> {
  await hashReady();
  const hash = wanted === undefined ? undefined : candidateHashOption(wanted);
  const read = await readAny(text, hash);
  if (hash !== undefined && candidateHashOf(read.receipt) !== hash) {
    throw misuse(`--candidate: the receipt is of ${candidateHashOf(read.receipt)}`);
  }
  return read;
}

/** Reads the text of `--candidate`. */
export function candidateHashOption(text: string): CandidateHash {
  const bytes = tryBytesOfHex(text);
  if (bytes?.length !== 32) {
    throw misuse('--candidate: expected 32 bytes of hex');
  }
  return candidateHash(hexOf(bytes));
}

async function readAny(text: string, wanted: CandidateHash | undefined): Promise<ReadReceipt> {
  const direct = tryBytesOfHex(text);
  if (direct !== undefined && direct.length === RECEIPT_BYTES) {
    return bare(direct);
  }
  let content: Uint8Array;
  try {
    content = new Uint8Array(await readFile(text));
  } catch (error: unknown) {
    if (direct !== undefined && direct.length > 0) {
      throw misuse(`receipt: expected ${RECEIPT_BYTES} bytes of hex, got ${direct.length}`);
    }
    throw fileFault('read', text, error);
  }
  if (content.length === RECEIPT_BYTES) {
    return bare(content);
  }
  const words = new TextDecoder().decode(content).trim();
  const inHex = tryBytesOfHex(words);
  if (inHex !== undefined) {
    if (inHex.length !== RECEIPT_BYTES) {
      throw misuse(`${text}: expected a receipt of ${RECEIPT_BYTES} bytes, got ${inHex.length}`);
    }
    return bare(inHex);
  }
  return fromCandidateFile(await candidateFileOf(words, text), text, wanted);
}

async function candidateFileOf(words: string, path: string): Promise<CandidateFile> {
  let value: unknown;
  try {
    value = JSON.parse(words);
  } catch {
    value = undefined;
  }
  if (!isCandidateFile(value)) {
    throw misuse(`${path}: neither a receipt of ${RECEIPT_BYTES} bytes nor a candidate file`);
  }
  return parseCandidateFile(value, path);
}

function fromCandidateFile(
  file: CandidateFile,
  path: string,
  wanted: CandidateHash | undefined,
): ReadReceipt {
  const { receipt, candidateHash: hash, ...entry } = pickCandidate(file, path, wanted);
  if (receipt === undefined) {
    throw misuse(`${path}: candidate ${hash} has no receipt`);
  }
  const { coreIndex, sessionIndex, validatorCount } = entry;
  return { receipt, coreIndex, sessionIndex, validatorCount, genesisHash: file.genesisHash };
}

function bare(bytes: Uint8Array): ReadReceipt {
  return {
    receipt: candidateReceipt(bytes),
    coreIndex: undefined,
    sessionIndex: undefined,
    validatorCount: undefined,
    genesisHash: undefined,
  };
}

function describe(receipt: CandidateReceipt): Readonly<Record<string, string | number | null>> {
  return {
    candidateHash: candidateHashOf(receipt),
    version: descriptorVersion(receipt),
    versionBeforeV3: descriptorVersion(receipt, 'before_v3'),
    paraId: receiptParaId(receipt),
    relayParent: hexOf(receiptRelayParent(receipt)),
    coreIndex: receiptCoreIndex(receipt) ?? null,
    sessionIndex: receiptSessionIndex(receipt) ?? null,
    schedulingSession: receiptSchedulingSession(receipt) ?? null,
    validationDataHash: hexOf(receiptValidationDataHash(receipt)),
    povHash: hexOf(receiptPovHash(receipt)),
    erasureRoot: hexOf(receiptErasureRoot(receipt)),
    paraHeadHash: hexOf(receiptParaHeadHash(receipt)),
    validationCodeHash: hexOf(receiptValidationCodeHash(receipt)),
    commitmentsHash: hexOf(receiptCommitmentsHash(receipt)),
  };
}
