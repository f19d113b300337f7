/**
 * @module
 * All stored results together.
 */

import type { NativeReport } from './native-report.ts';
import type {
  ArrivalRow,
  ColdStartRow,
  EventLoopRow,
  GrowthRow,
  HashRow,
  JobRow,
  LoopbackRow,
  MemoryRow,
  PlannerRow,
} from './result-rows.ts';
import { loadRows, type Stored } from './support/results.ts';

/** Every stored result; a bench that was not stored is absent. */
export type Results = {
  readonly native?: NativeReport | undefined;
  readonly jobs?: Stored<JobRow> | undefined;
  readonly planner?: Stored<PlannerRow> | undefined;
  readonly hash?: Stored<HashRow> | undefined;
  readonly growth?: Stored<GrowthRow> | undefined;
  readonly arrival?: Stored<ArrivalRow> | undefined;
  readonly coldStart?: Stored<ColdStartRow> | undefined;
  readonly memory?: Stored<MemoryRow> | undefined;
  readonly eventLoop?: Stored<EventLoopRow> | undefined;
  readonly loopback?: Stored<LoopbackRow> | undefined;
};

/** Reads `results/`. */
export function loadResults(): Results {
  return {
    native: loadRows('native') as NativeReport | undefined,
    jobs: loadRows('jobs'),
    planner: loadRows('planner'),
    hash: loadRows('hash'),
    growth: loadRows('growth'),
    arrival: loadRows('arrival'),
    coldStart: loadRows('cold-start'),
    memory: loadRows('memory'),
    eventLoop: loadRows('event-loop'),
    loopback: loadRows('loopback'),
  };
}
