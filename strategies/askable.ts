/**
 * @module
 * Who can be asked in one recovery: the session's authorities, the backing group, and never ourselves
 * unless the settings say so.
 */

import { type AuthorityId, type ValidatorIndex, validatorIndex } from '../src/primitives/ids.ts';
import type { SessionInfo } from '../src/recovery/ports.ts';
import type { RecoveryContext } from '../src/recovery/strategy.ts';

/** The authority to ask for a validator's chunk; `undefined` when there is none or it is ourselves. */
export function authorityOf(
  { session, settings }: RecoveryContext,
  index: ValidatorIndex,
): AuthorityId | undefined {
  if (index === session.ownValidatorIndex && !settings.askSelf) {
    return undefined;
  }
  return session.validators[index] ?? undefined;
}

/** Members of the backing group, each once; none when no group was named or it does not exist. */
export function backersOf(
  session: SessionInfo,
  backingGroup: number | undefined,
): readonly ValidatorIndex[] {
  const group = backingGroup === undefined ? undefined : session.groups[backingGroup];
  return [...new Set(group)].map((member) => {
    if (!(Number.isInteger(member) && member >= 0 && member < session.validators.length)) {
      throw new RangeError(
        `groups[${backingGroup}]: expected validator indices below ${session.validators.length}, got ${member}`,
      );
    }
    return validatorIndex(member);
  });
}
