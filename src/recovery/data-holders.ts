/**
 * @module
 * Who is believed to hold the whole data of a candidate: the members of the groups and the holders that
 * callers named. Grows when callers join a running recovery.
 */

import { type ValidatorIndex, validatorIndex } from '../primitives/ids.ts';
import type { SessionInfo } from './ports.ts';
import type { CheckedRequest } from './request.ts';

/** What a caller said about holders. */
type Named = Pick<CheckedRequest, 'backingGroup' | 'holders'>;

/** The holders of one recovery. A place that the session does not have is left out. */
export class DataHolders {
  private readonly named: Named[] = [];
  private readonly known = new Set<ValidatorIndex>();
  private readonly followers = new Set<(added: readonly ValidatorIndex[]) => void>();
  private session: SessionInfo | undefined;

  /** Takes in what a caller named. */
  add(named: Named): void {
    this.named.push(named);
    if (this.session !== undefined) {
      this.admit(this.session, named);
    }
  }

  /** Tells the session, with which groups become validators. Called once, before {@link list}. */
  setSession(session: SessionInfo): void {
    this.session = session;
    for (const named of this.named) {
      this.admit(session, named);
    }
  }

  /** All holders, each once, in the order in which they were named. */
  list(): readonly ValidatorIndex[] {
    return [...this.known];
  }

  /** Calls back with holders named from now on; the function that is returned ends it. */
  follow(onAdded: (added: readonly ValidatorIndex[]) => void): () => void {
    this.followers.add(onAdded);
    return () => this.followers.delete(onAdded);
  }

  private admit(session: SessionInfo, { backingGroup, holders = [] }: Named): void {
    const group = backingGroup === undefined ? [] : (session.groups[backingGroup] ?? []);
    const places = new Set([...group, ...holders].map(validatorIndex));
    const added = [...places].filter(
      (place) => session.validators[place] !== undefined && !this.known.has(place),
    );
    for (const place of added) {
      this.known.add(place);
    }
    if (added.length > 0) {
      for (const follower of [...this.followers]) {
        follower(added);
      }
    }
  }
}
