/**
 * @module
 * Whose turn it is among the jobs of the pool that have tasks to give out.
 */

/**
 * Two lines: jobs that had no turn since they came or since their last stage ended, and those that had.
 * The lines take turns, each is served from the front. So a newcomer is next however many large jobs go
 * round in the other line, and no stream of newcomers keeps these from every second turn.
 */
export class TurnOrder<Run> {
  readonly #fresh: Run[] = [];
  readonly #served: Run[] = [];
  #isServedNext = false;

  /** A job that came, at the end of the fresh line. */
  add(run: Run): void {
    this.#fresh.push(run);
  }

  /** A job whose next stage begins, before all others. */
  addFirst(run: Run): void {
    this.#fresh.unshift(run);
    this.#isServedNext = false;
  }

  /** A job that had its turn and has more to give out. */
  addServed(run: Run): void {
    this.#served.push(run);
  }

  /** A job that gets tasks back which nobody had begun: its turn did not take place. */
  addBack(run: Run): void {
    if (!this.all().includes(run)) {
      this.#served.unshift(run);
    }
  }

  /** All jobs in line. */
  all(): readonly Run[] {
    return [...this.#fresh, ...this.#served];
  }

  /** Takes a job out of line. */
  remove(run: Run): void {
    for (const line of [this.#fresh, this.#served]) {
      const at = line.indexOf(run);
      if (at >= 0) {
        line.splice(at, 1);
      }
    }
  }

  /** Takes the next job that may be taken out of line. */
  next(accepts: (run: Run) => boolean): Run | undefined {
    const lines = this.#isServedNext ? [this.#served, this.#fresh] : [this.#fresh, this.#served];
    for (const line of lines) {
      const at = line.findIndex(accepts);
      const [run] = at < 0 ? [] : line.splice(at, 1);
      if (run !== undefined) {
        this.#isServedNext = line === this.#fresh && this.#served.some(accepts);
        return run;
      }
    }
    return undefined;
  }
}
