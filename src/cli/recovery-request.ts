/**
 * @module
 * What `recover` is asked, as a request: options, candidate file and config put together, and refused
 * where they do not fit.
 */

import { candidateHashOf, receiptCoreIndex, receiptSessionIndex } from '../codec/candidate.ts';
import type { StrategyType } from '../recovery/labels.ts';
import type { RecoveryRequest } from '../recovery/request.ts';
import type { Config } from './config.ts';
import { misuse } from './failure.ts';
import { assertSameChain, assertSameValidatorCount } from './fits-config.ts';
import { counted } from './readable.ts';
import { readReceipt } from './receipt.ts';

/** The options of `recover` that say what is recovered, and how. */
export type RequestOptions = {
  readonly receipt: string;
  readonly candidate?: string;
  readonly session?: number;
  readonly core?: number;
  readonly group?: number;
  readonly strategy?: readonly StrategyType[];
  readonly sizeLimit?: number;
  readonly timeout?: number;
};

/** The request of a command line. @throws CliError `misuse` for what cannot succeed on this config. */
export async function requestOf(
  options: RequestOptions,
  { genesisHash, session }: Pick<Config, 'genesisHash' | 'session'>,
): Promise<RecoveryRequest> {
  assertGroup(options, session.groups.length);
  const file = await readReceipt(options.receipt, options.candidate);
  const { receipt, validatorCount } = file;
  assertSameChain(file.genesisHash, { genesisHash }, options.receipt);
  assertSameValidatorCount(
    { candidateHash: candidateHashOf(receipt), validatorCount },
    session.validators.length,
  );
  const core = options.core ?? file.coreIndex ?? receiptCoreIndex(receipt);
  return {
    receipt: receipt.bytes,
    sessionIndex:
      options.session ?? file.sessionIndex ?? receiptSessionIndex(receipt) ?? session.index,
    ...(core === undefined ? {} : { coreIndex: core }),
    ...(options.group === undefined ? {} : { backingGroup: options.group }),
    ...(options.strategy === undefined ? {} : { strategies: options.strategy }),
    ...(options.sizeLimit === undefined ? {} : { sizeLimitBytes: options.sizeLimit }),
    ...(options.timeout === undefined ? {} : { timeoutMs: options.timeout }),
  };
}

/** Backers are found by their group; where there are other strategies, these do without. */
function assertGroup({ group, strategy }: RequestOptions, groupCount: number): void {
  if (group === undefined && strategy?.every((type) => type === 'full_from_backers') === true) {
    throw misuse('--strategy: full_from_backers needs --group');
  }
  if (group !== undefined && group >= groupCount) {
    throw misuse(`--group: the session has ${counted(groupCount, 'group')}`);
  }
}
