/**
 * @module
 * The session directory of a config file: one session, and addresses as the file gives them.
 */

import { EMPTY, of } from 'rxjs';
import type { SessionDirectory } from '../recovery/ports.ts';
import type { Config } from './config.ts';

/** Knows the one session of a config; every other session and authority is unknown. */
export function configDirectory({
  session,
  locations,
}: Pick<Config, 'session' | 'locations'>): SessionDirectory {
  return {
    session: (sessionIndex) => (sessionIndex === session.index ? of(session) : EMPTY),
    locate: (authority) => {
      const location = locations.get(authority);
      return location === undefined ? EMPTY : of(location);
    },
  };
}
