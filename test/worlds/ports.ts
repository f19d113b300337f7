/**
 * @module
 * Directory, store, metrics and size policy of a recorded world. The directory keeps the last two
 * sessions, as the reference does; that is no part of recovery here.
 */

import { concat, defer, EMPTY, from, type Observable, of, subscribeOn, throwError } from 'rxjs';
import { encodeAvailableData } from '../../src/codec/available-data.ts';
import { nodeFeaturesFromText } from '../../src/codec/node-features.ts';
import { authorityId, type ValidatorIndex, validatorIndex } from '../../src/primitives/ids.ts';
import type { StrategyType } from '../../src/recovery/labels.ts';
import type {
  ChunkStore,
  SessionDirectory,
  SessionInfo,
  StoredChunk,
} from '../../src/recovery/ports.ts';
import { planBySize, type SizePolicy } from '../../strategies/size-policy.ts';
import { withBadPov, withOtherValidationData } from './candidate.ts';
import type { Step, World } from './format.ts';
import { authorityName, type StepScene } from './network.ts';

/** Sessions that the reference keeps, least recently used first out. */
const SESSIONS_KEPT = 2;

/** The session of a world; all its sessions are alike. */
function sessionOf(world: World, index: number, own: number | undefined): SessionInfo {
  return {
    index,
    validators: Array.from({ length: world.n }, (_, i) => authorityId(authorityName(i))),
    groups: world.groups,
    nodeFeatures: nodeFeaturesFromText(world.features),
    ...(own === undefined ? {} : { ownValidatorIndex: validatorIndex(own) }),
  };
}

/** Looks sessions up, and writes down which of the three questions of the reference that takes. */
export class WorldDirectory implements SessionDirectory {
  private kept: readonly number[] = [];
  private readonly scene: () => StepScene;
  private readonly own: ValidatorIndex | undefined;

  constructor(scene: () => StepScene, own: number | undefined) {
    this.scene = scene;
    this.own = own === undefined ? undefined : validatorIndex(own);
  }

  /** See the port. */
  session(asked: number): Observable<SessionInfo> {
    return defer(() => {
      const { world, step, trace, scheduler } = this.scene();
      const index = step.session ?? 10;
      const isKept = this.kept.includes(index);
      const lines = isKept ? [] : linesOf(step.rt);
      for (const line of lines) {
        trace.write(line);
      }
      if (!isKept && step.rt !== undefined) {
        const failed$ = step.rt === 'none' ? EMPTY : throwError(() => new Error(`no ${step.rt}`));
        return failed$.pipe(subscribeOn(scheduler));
      }
      this.kept = [...this.kept.filter((kept) => kept !== index), index].slice(-SESSIONS_KEPT);
      return of(sessionOf(world, asked, this.own)).pipe(subscribeOn(scheduler));
    });
  }

  /** See the port; nobody is looked for here. */
  locate(): Observable<never> {
    return EMPTY;
  }
}

function linesOf(failing: Step['rt']): readonly string[] {
  switch (failing) {
    case 'session':
    case 'none':
      return ['rs'];
    case 'features':
      return ['rs', 'rf'];
    default:
      return ['rs', 'rf', 'rp'];
  }
}

/** What the step says that our own store holds. */
export function worldStore(scene: () => StepScene): ChunkStore {
  const read = <T>(line: string, answer: (scene: StepScene) => Observable<T>): Observable<T> =>
    defer(() => {
      const now = scene();
      now.trace.write(line);
      return answer(now).pipe(subscribeOn(now.scheduler));
    });
  return {
    loadChunkBytes: () =>
      read('qs', ({ step: { store } }) =>
        store?.size === 'drop' ? dropped() : store?.size === undefined ? EMPTY : of(store.size),
      ),
    loadAvailableData: () => read('qa', storedData),
    loadChunks: () => read('qc', storedChunks),
    dropCorrupt: () => EMPTY,
  };
}

function dropped(): Observable<never> {
  return throwError(() => new Error('the store does not answer'));
}

function storedData({ step: { store }, candidate: { data } }: StepScene): Observable<Uint8Array> {
  switch (store?.full) {
    case 'ok':
      return of(encodeAvailableData(data));
    case 'bad':
      return of(encodeAvailableData(withBadPov(data)));
    case 'pvd':
      return of(encodeAvailableData(withOtherValidationData(data)));
    case 'drop':
      return dropped();
    default:
      return EMPTY;
  }
}

function storedChunks({ step: { store }, candidate }: StepScene): Observable<StoredChunk> {
  const { chunks = [] } = store ?? {};
  if (chunks === 'drop') {
    return dropped();
  }
  return concat(
    ...chunks.map(([validator, index, state]) => {
      const chunk = candidate.chunks[index];
      if (chunk === undefined) {
        throw new RangeError(`store: no chunk ${index}`);
      }
      const bytes = chunk.bytes.map((byte, i) => (i === 0 && state === 'bad' ? byte ^ 0xff : byte));
      return from([{ validatorIndex: validatorIndex(validator), chunk: { ...chunk, bytes } }]);
    }),
  );
}

/** The strategies of a kind that has no threshold; `undefined` where the size decides. */
export function fixedStrategies(world: World, step: Step): readonly StrategyType[] | undefined {
  const hasGroup = step.group !== undefined && world.groups[step.group] !== undefined;
  const hasSystematic = world.n > 1 && step.core !== undefined && world.features[2] === '1';
  const full: readonly StrategyType[] = hasGroup ? ['full_from_backers'] : [];
  const systematic: readonly StrategyType[] = hasSystematic ? ['systematic_chunks'] : [];
  switch (world.kind) {
    case 'backers-first-always':
      return [...full, 'regular_chunks'];
    case 'chunks-always':
      return ['regular_chunks'];
    case 'backers-then-systematic':
      return [...full, ...systematic, 'regular_chunks'];
    case 'systematic-then-regular':
      return [...systematic, 'regular_chunks'];
    default:
      return undefined;
  }
}

/** The order of strategies of the kinds that have a threshold; two of them know no systematic phase. */
export function worldPolicy(world: World): SizePolicy {
  const isWithoutSystematic =
    world.kind === 'collator' || world.kind === 'backers-first-if-smaller';
  return (estimateBytes, groupSize, context) =>
    planBySize(estimateBytes, groupSize, {
      ...context,
      hasSystematicHolders: context.hasSystematicHolders && !isWithoutSystematic,
    });
}
