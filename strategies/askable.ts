/**
 * @module
 * Who can be asked in one recovery: the session's authorities, the backing group, and never ourselves
 * unless the settings say so.
 */

import type { AuthorityId, ValidatorIndex } from '../src/primitives/ids.ts';
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

/**
 * Refuses a request that names a place the session does not have, as a group member or as a holder.
 * (Those that joining callers name are left out instead: their mistake is not the others' end.)
 *
 * @throws RangeError.
 */
export function assertHolders({ session, request }: RecoveryContext): void {
  const { backingGroup, holders = [] } = request;
  const count = session.validators.length;
  const group = backingGroup === undefined ? [] : (session.groups[backingGroup] ?? []);
  for (const [name, places] of [
    [`groups[${backingGroup}]`, group],
    ['holders', holders],
  ] as const) {
    const wrong = places.find((place) => !(Number.isInteger(place) && place >= 0 && place < count));
    if (wrong !== undefined) {
      throw new RangeError(`${name}: expected validator indices below ${count}, got ${wrong}`);
    }
  }
}
