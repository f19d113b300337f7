/**
 * @module
 * What every {@link SessionDirectory} guarantees, tested by name.
 */

import { lastValueFrom, type Observable, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { type AuthorityId, authorityId } from '../../src/primitives/ids.ts';
import type { PeerLocation, SessionDirectory, SessionInfo } from '../../src/recovery/ports.ts';

/** A directory and what it knows. */
export type DirectoryUnderTest = {
  readonly directory: SessionDirectory;
  /** Every session it knows, at least one. */
  readonly sessions: readonly SessionInfo[];
  readonly locations: ReadonlyMap<AuthorityId, PeerLocation>;
  /** Moves an authority. Absent where that cannot happen. */
  move?(authority: AuthorityId, location: PeerLocation): void;
};

const UNKNOWN = authorityId('nobody knows me');

/** The suite. */
export function directoryContract(name: string, make: () => DirectoryUnderTest): void {
  const all = <T>(stream: Observable<T>): Promise<T[]> => lastValueFrom(stream.pipe(toArray()));

  describe(`SessionDirectory: ${name}`, () => {
    it('gives each session it knows, once, and completes', async () => {
      const { directory, sessions } = make();
      const found = await Promise.all(sessions.map(({ index }) => all(directory.session(index))));
      expect(found).toEqual(sessions.map((session) => [session]));
    });

    it('completes without a value for what it does not know', async () => {
      const { directory, sessions } = make();
      const unknown = Math.max(...sessions.map(({ index }) => index)) + 1;
      expect(await all(directory.session(unknown))).toEqual([]);
      expect(await all(directory.locate(UNKNOWN))).toEqual([]);
    });

    it('knows where each authority is', async () => {
      const { directory, locations } = make();
      for (const [authority, location] of locations) {
        expect(await all(directory.locate(authority))).toEqual([location]);
      }
    });

    it('answers each subscription anew', async () => {
      const { directory, sessions, locations } = make();
      const session$ = directory.session(sessions[0]!.index);
      expect(await all(session$)).toEqual(await all(session$));
      const [[authority, location]] = [...locations] as [[AuthorityId, PeerLocation]];
      const located$ = directory.locate(authority);
      expect([...(await all(located$)), ...(await all(located$))]).toEqual([location, location]);
    });

    it('says where an authority is at the moment of the subscription', async () => {
      const { directory, locations, move } = make();
      if (move === undefined) {
        return;
      }
      const [authority] = [...locations.keys()] as [AuthorityId];
      const located$ = directory.locate(authority);
      const elsewhere = { peerId: 'moved', addresses: ['/ip4/127.0.0.1/tcp/2'] };
      move(authority, elsewhere);
      expect(await all(located$)).toEqual([elsewhere]);
    });

    it('says nothing after an unsubscribe', async () => {
      const { directory, sessions } = make();
      let count = 0;
      const next = (): void => {
        count += 1;
      };
      const observer = { next, error: expect.unreachable, complete: next };
      directory.session(sessions[0]!.index).subscribe(observer).unsubscribe();
      directory.locate(UNKNOWN).subscribe(observer).unsubscribe();
      const before = count;
      await all(directory.session(sessions[0]!.index));
      expect(count).toBe(before);
    });
  });
}
