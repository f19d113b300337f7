/**
 * @module
 * The file that `recover --report` writes and `explain` reads: how a recovery ended, its account, and
 * the report made from that. The schema is the validator of what is read.
 */

import { ENGINE_IDS } from '../erasure/kernel/index.ts';
import { STRATEGY_TYPES } from '../recovery/labels.ts';
import { reportOf } from '../recovery/report.ts';
import { outcomeJson, type RecoveryOutcome, type ReportedOutcome } from './follow-recovery.ts';
import { MAX_U32 } from './options.ts';
import { assertSchema } from './schema.ts';

const MS = { type: 'number', minimum: 0 };
const COUNT = { type: 'integer', minimum: 0 };
const FLAG = { type: 'boolean' };
/** Labels and codes: ours, so that the text made from them is too. */
const WORD = { type: 'string', pattern: '^[a-z][a-z0-9_]{0,63}$' };
const STRATEGY = { enum: STRATEGY_TYPES };
const CHUNK_INDICES = { type: 'array', items: { type: 'integer', minimum: 0, maximum: 65_535 } };

const ATTEMPT = {
  type: 'object',
  required: [
    ...['attemptId', 'kind', 'strategy', 'source', 'validatorIndex', 'startedAtMs'],
    ...['isLate', 'isUseful', 'bytes'],
  ],
  properties: {
    attemptId: COUNT,
    kind: { enum: ['chunk', 'available_data'] },
    strategy: STRATEGY,
    source: { type: 'string', minLength: 1 },
    validatorIndex: COUNT,
    startedAtMs: MS,
    isLate: FLAG,
    isUseful: FLAG,
    answer: {
      enum: [
        ...['success', 'no_such_chunk', 'no_such_data', 'timeout', 'invalid', 'error'],
        'canceled',
      ],
    },
    code: WORD,
    protocol: { type: 'string' },
    ms: MS,
    bytes: COUNT,
  },
};

const STRATEGY_RECORD = {
  type: 'object',
  required: ['strategy', 'startedAtMs'],
  properties: {
    strategy: STRATEGY,
    startedAtMs: MS,
    endedAtMs: MS,
    reason: WORD,
    chunksNeeded: COUNT,
    announcedBytes: COUNT,
  },
};

const WORK = {
  type: 'object',
  required: [...['engine', 'reason', 'threads', 'hashedChunks', 'reusedHashes', 'copiedBytes']],
  properties: {
    engine: { enum: ENGINE_IDS },
    reason: WORD,
    threads: COUNT,
    hash: WORD,
    path: WORD,
    hashedChunks: COUNT,
    reusedHashes: COUNT,
    copiedBytes: {
      type: 'object',
      required: ['load', 'result', 'check', 'caller'],
      properties: { load: COUNT, result: COUNT, check: COUNT, caller: COUNT },
    },
  },
};

const ACCOUNT = {
  type: 'object',
  required: [
    ...['candidateHash', 'sessionIndex', 'startedAtMs', 'strategies', 'attempts', 'chunksHeld'],
    'totals',
  ],
  properties: {
    candidateHash: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    sessionIndex: { type: 'integer', minimum: 0, maximum: MAX_U32 },
    startedAtMs: MS,
    endedAtMs: MS,
    strategies: { type: 'array', items: STRATEGY_RECORD },
    attempts: { type: 'array', items: ATTEMPT },
    chunksHeld: CHUNK_INDICES,
    work: WORK,
    totals: {
      type: 'object',
      required: ['issued', 'succeeded', 'failed', 'canceled', 'running', 'bytes'],
      properties: {
        issued: COUNT,
        succeeded: COUNT,
        failed: COUNT,
        canceled: COUNT,
        running: COUNT,
        bytes: COUNT,
      },
    },
  },
};

/** The schema, draft 7. Keys that it does not name are passed over. */
const REPORT_SCHEMA: Readonly<Record<string, unknown>> = {
  type: 'object',
  required: ['outcome'],
  properties: {
    outcome: {
      enum: ['recovered', 'unavailable', 'invalid', 'cancelled', 'local_fault', 'stopped'],
    },
    from: { enum: [...STRATEGY_TYPES, 'store', 'cache'] },
    povBytes: COUNT,
    povHash: { type: 'string' },
    message: { type: 'string' },
    details: { type: 'object', properties: { reason: WORD } },
    evidence: {
      type: 'object',
      required: ['reason', 'chunkIndices'],
      properties: { reason: WORD, chunkIndices: CHUNK_INDICES },
    },
    account: ACCOUNT,
    report: { type: 'object' },
  },
};

/** What `--report` writes: the outcome with its account, and the report of that. */
export function reportFileOf(outcome: RecoveryOutcome): Readonly<Record<string, unknown>> {
  const json = outcomeJson(outcome);
  return json.account === undefined ? json : { ...json, report: reportOf(json.account) };
}

/**
 * Reads a parsed file. Its `report` is not read: whoever wants one makes it from the account.
 *
 * @param path - For messages.
 */
export function parseReportFile(value: unknown, path: string): ReportedOutcome {
  return assertSchema<ReportedOutcome>(REPORT_SCHEMA, value, { path, what: 'a report' });
}
