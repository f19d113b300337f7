/**
 * @module
 * A session directory that the test can change while recoveries run.
 */

import { defer, EMPTY, of } from 'rxjs';
import type { AuthorityId } from '../../src/primitives/ids.ts';
import type { PeerLocation, SessionDirectory, SessionInfo } from '../../src/recovery/ports.ts';

/** Looks everything up at the moment of the subscription, and answers in that turn. */
export class FakeDirectory implements SessionDirectory {
  /** By session index. */
  readonly sessions: Map<number, SessionInfo> = new Map();
  /** Where everybody is now. */
  readonly locations: Map<AuthorityId, PeerLocation> = new Map();
  /** Who was looked for, in order. */
  readonly located: AuthorityId[] = [];

  /** See the port. */
  session(index: number): ReturnType<SessionDirectory['session']> {
    return defer(() => {
      const session = this.sessions.get(index);
      return session === undefined ? EMPTY : of(session);
    });
  }

  /** See the port. */
  locate(authority: AuthorityId): ReturnType<SessionDirectory['locate']> {
    return defer(() => {
      this.located.push(authority);
      const location = this.locations.get(authority);
      return location === undefined ? EMPTY : of(location);
    });
  }
}
