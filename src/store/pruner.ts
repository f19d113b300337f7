/**
 * @module
 * Prunes a store now and then. Nothing is pruned unless one of these was started.
 */

import type { Observable, SchedulerLike, Subscription } from 'rxjs';
import { catchError, EMPTY, exhaustMap, timer } from 'rxjs';
import type { Logger } from '../recovery/ports.ts';

/** Every 5 minutes, as the reference pruner does (recovery spec §5.2). */
export const PRUNE_EVERY_MS = 300_000;

/** What a pruner needs to know. */
export type PrunerSettings = {
  readonly scheduler: SchedulerLike;
  readonly logger: Logger;
  /** Between the starts of two passes; a pass that takes longer swallows those that would overlap. */
  readonly everyMs: number;
};

/** A pass at the start, then one every `everyMs`. A failed pass is logged; the next one tries again. */
export class Pruner {
  readonly #prune: () => Observable<number>;
  readonly #settings: PrunerSettings;
  #running: Subscription | undefined;

  /** @param prune - One pass; cold. */
  constructor(prune: () => Observable<number>, settings: PrunerSettings) {
    this.#prune = prune;
    this.#settings = settings;
  }

  /** Starts; does nothing when it runs already. */
  start(): void {
    const { scheduler, logger, everyMs } = this.#settings;
    const onFailure = (error: unknown): void => logger.warn('store_prune_failed', { error });
    this.#running ??= timer(0, everyMs, scheduler)
      .pipe(
        exhaustMap(() =>
          this.#prune().pipe(
            catchError((error: unknown) => {
              onFailure(error);
              return EMPTY;
            }),
          ),
        ),
      )
      .subscribe({
        next: (pruned) => logger.debug('store_prune_pass', { pruned }),
        error: onFailure,
      });
  }

  /** Stops, in the middle of a pass between two candidates. May be started again. */
  stop(): void {
    this.#running?.unsubscribe();
    this.#running = undefined;
  }
}
