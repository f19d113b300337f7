/**
 * @module
 * Work that belongs to something with a start and a stop: made at its first use, closed at the stop, and
 * made anew if used after that.
 */

import type { ErasureWork, RecoveryWork, WorkDescription, WorkSubject } from './erasure-work.ts';

/** As the work that `make` makes, which is closed with it and made again by the next use. */
export class RenewedWork implements ErasureWork {
  private readonly make: () => ErasureWork;
  private made: ErasureWork | undefined;

  /** @param make - Called at the first use, and at the first after each close. */
  constructor(make: () => ErasureWork) {
    this.make = make;
  }

  /** See the port. */
  get description(): WorkDescription {
    return this.current().description;
  }

  /** See the port. */
  open(subject: WorkSubject): RecoveryWork {
    return this.current().open(subject);
  }

  /** Closes what was made, if anything was. */
  close(): void {
    this.made?.close?.();
    this.made = undefined;
  }

  private current(): ErasureWork {
    this.made ??= this.make();
    return this.made;
  }
}
