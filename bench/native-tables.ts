/**
 * @module
 * Tables of the comparison with the crates, made of stored results alone.
 */

import type { Results } from './all-results.ts';
import type { NativeRow } from './native-report.ts';
import { block, count, size } from './support/page-text.ts';
import { short } from './support/table.ts';
import { type Place, pathTargetOf, type Target, targetOf } from './targets.ts';

function targetText(target: Target | undefined): string {
  const { accept, aim } = target ?? {};
  return accept === undefined ? '' : aim === undefined ? `${accept}` : `${accept} / ${aim}`;
}

/** The five whole jobs against the crates, with the targets. */
export function nativeTargets({ native }: Results): string {
  return block(native, () => [
    [
      'job',
      'payload',
      'n',
      'threads',
      'crates ms',
      'ours ms',
      'ratio',
      'of medians',
      'accept / aim',
    ],
    ...(native?.rows ?? []).filter((row) => targetOf(row)).map(nativeCells),
    ...(native?.paths ?? [])
      .filter((row) => pathTargetOf(row))
      .map((row) => [
        'own decode / one missing',
        size(row.payloadBytes),
        count(row.validators),
        String(row.threads),
        short(row.decodeMs),
        short(row.oneMissingMs),
        short(row.ratio),
        '',
        targetText(pathTargetOf(row)),
      ]),
  ]);
}

function nativeCells(row: NativeRow): readonly string[] {
  return [
    row.job,
    size(row.payloadBytes),
    count(row.validators),
    `${row.threads}${row.cores === 'not sampled' ? ', idle cores not sampled' : ''}`,
    short(row.cratesMs),
    short(row.oursMs),
    short(row.ratio),
    short(row.cratesMedianMs / row.oursMedianMs),
    targetText(targetOf(row)),
  ];
}

/** Ratios of every job against the crates, one row for each size. */
export function nativeRatios({ native }: Results): string {
  return block(native, () => {
    const rows = [...(native?.rows ?? []), ...(native?.otherRows ?? [])];
    const places = [...new Set(rows.map(placeKey))];
    return [
      ['ratio, 1 thread / 2 threads', ...places.map((place) => placeText(place))],
      ...[...new Set(rows.map(({ job }) => job))].map((job) => [
        job,
        ...places.map((place) =>
          [1, 2]
            .map((threads) =>
              rows.find(
                (row) => row.job === job && row.threads === threads && placeKey(row) === place,
              ),
            )
            .filter((row) => row !== undefined)
            .map((row) => short(row.ratio))
            .join(' / '),
        ),
      ]),
    ];
  });
}

function placeKey({
  payloadBytes,
  validators,
}: Pick<Place, 'payloadBytes' | 'validators'>): string {
  return `${payloadBytes} ${validators}`;
}

function placeText(key: string): string {
  const [payloadBytes = 0, validators = 0] = key.split(' ').map(Number);
  return `${size(payloadBytes)}, n ${count(validators)}`;
}

/** `reed-solomon-simd`, as a mark. */
export function nativeMarks({ native }: Results): string {
  return block(native, () => [
    ['`reed-solomon-simd`', 'payload', 'n', 'CPU ms'],
    ...(native?.marks ?? []).map((row) => [
      row.job.replace('simd_', ''),
      size(row.payloadBytes),
      count(row.validators),
      short(row.cratesMs),
    ]),
  ]);
}
