/**
 * @module
 * The JSON schema of the config file. It is the validator: what it refuses is refused, and nothing
 * else looks at the form of a config.
 */

import { ENGINE_IDS, type EngineId } from '../erasure/kernel/index.ts';
import type { RecoverySettings } from '../recovery/settings.ts';
import { MAX_U32 } from './options.ts';

/** One validator of the session, as the config file writes it. */
export type RawValidator = {
  readonly peerId: string;
  readonly addresses: readonly string[];
  readonly authorityId?: string;
};

/** Times after which the store forgets, in milliseconds. Absent: never. */
export type RawRetention = {
  readonly unavailableMs?: number;
  readonly finalizedMs?: number;
  readonly pruneEveryMs?: number;
};

/** Settings that a config file may override. */
export type RawSettings = Partial<RecoverySettings> & { readonly retention?: RawRetention };

/** A config file that passed the schema. */
export type RawConfig = {
  readonly genesisHash: string;
  readonly forkId?: string;
  readonly listen?: string | readonly string[];
  readonly store?: string;
  readonly identity?: string;
  readonly session: {
    readonly index: number;
    readonly nodeFeatures: string;
    readonly validators: readonly (RawValidator | null)[];
    readonly groups: readonly (readonly number[])[];
    readonly ownValidatorIndex?: number;
  };
  readonly mapping?: { readonly scheme: 'identity' | 'rfc47' | 'chacha8'; readonly seed?: string };
  readonly settings?: RawSettings;
  readonly engine?: EngineId;
  readonly workers?: number;
  readonly arenaBytes?: number;
};

const INDEX = { type: 'integer', minimum: 0, maximum: MAX_U32 };
const HASH = { type: 'string', pattern: '^(0x)?[0-9a-fA-F]{64}$' };
const TEXT = { type: 'string', minLength: 1 };
const MILLISECONDS = { type: 'integer', minimum: 1, maximum: 2_147_483_647 };
const COUNT = { type: 'integer', minimum: 1, maximum: 1_000_000 };
const FLAG = { type: 'boolean' };

const VALIDATOR = {
  type: ['object', 'null'],
  additionalProperties: false,
  required: ['peerId', 'addresses'],
  properties: {
    peerId: TEXT,
    addresses: { type: 'array', items: TEXT },
    authorityId: TEXT,
  },
};

const SESSION = {
  type: 'object',
  additionalProperties: false,
  required: ['index', 'nodeFeatures', 'validators', 'groups'],
  properties: {
    index: INDEX,
    nodeFeatures: { type: 'string', pattern: '^([01]*|0x([0-9a-fA-F]{2})*)$' },
    // Bounds of the erasure code (erasure spec §2).
    validators: { type: 'array', minItems: 2, maxItems: 65_536, items: VALIDATOR },
    groups: { type: 'array', items: { type: 'array', items: INDEX } },
    ownValidatorIndex: INDEX,
  },
};

const MAPPING = {
  type: 'object',
  additionalProperties: false,
  required: ['scheme'],
  properties: { scheme: { enum: ['identity', 'rfc47', 'chacha8'] }, seed: HASH },
};

const RETENTION = {
  type: 'object',
  additionalProperties: false,
  properties: {
    unavailableMs: { type: 'integer', minimum: 1 },
    finalizedMs: { type: 'integer', minimum: 1 },
    pruneEveryMs: MILLISECONDS,
  },
};

/** One entry per setting, so that a new setting without its schema does not compile. */
const RECOVERY_SETTINGS: Readonly<Record<keyof RecoverySettings, object>> = {
  attempts: {
    type: 'object',
    additionalProperties: false,
    required: ['systematic', 'regular'],
    properties: { systematic: COUNT, regular: COUNT },
  },
  parallelAttempts: COUNT,
  softTimeoutMs: MILLISECONDS,
  stopAt: { enum: ['systematic_threshold', 'recovery_threshold'] },
  systematicFailure: { enum: ['confirm', 'invalid'] },
  checkStoredData: FLAG,
  localChunk: { enum: ['from_backers', 'end_strategy'] },
  askSelf: FLAG,
  refill: { enum: ['on_answer', 'after_round'] },
  carryInFlight: FLAG,
  sizeUnknown: { enum: ['capped_request', 'large'] },
  fastPathFor: { type: 'array', items: { enum: ['re_encode', 'pov_hash'] } },
  dialBackers: FLAG,
  totalBackerTimeMs: { ...MILLISECONDS, type: ['integer', 'null'] },
  networkRetries: { enum: ['by_code', 'alike'] },
  sizeLimitBytes: { type: 'integer', minimum: 0 },
  sessionMissing: { enum: ['local_fault', 'unavailable'] },
  receiptSession: { enum: ['must_match', 'ignored'] },
  storeTimeoutMs: { ...MILLISECONDS, type: ['integer', 'null'] },
  maxConcurrent: COUNT,
  maxWaiting: { type: 'integer', minimum: 0 },
  cacheEntries: COUNT,
};

const SETTINGS = {
  type: 'object',
  additionalProperties: false,
  properties: { ...RECOVERY_SETTINGS, retention: RETENTION },
};

/** The schema, draft 7. */
export const CONFIG_SCHEMA: Readonly<Record<string, unknown>> = {
  type: 'object',
  additionalProperties: false,
  required: ['genesisHash', 'session'],
  properties: {
    genesisHash: HASH,
    forkId: { type: 'string' },
    listen: { anyOf: [TEXT, { type: 'array', items: TEXT }] },
    store: TEXT,
    identity: TEXT,
    session: SESSION,
    mapping: MAPPING,
    settings: SETTINGS,
    engine: { enum: ENGINE_IDS },
    // Ranges as the work itself has them.
    workers: { type: 'integer', minimum: 0, maximum: 64 },
    arenaBytes: { type: 'integer', minimum: 1, maximum: 1_073_741_824 },
  },
};
