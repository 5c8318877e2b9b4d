import {
  address,
  buildBurst,
  buildBuyers,
  buildMinute,
  buildOutcome,
  buildPoolOpened,
  type DerivedLog,
  noonMs,
  poolId,
  type TokenRecord,
} from './derived-log.ts'

const minuteMs = 60_000

type Closed = readonly [atMs: number, records: readonly TokenRecord[]]

/**
 * One swap per twelve minutes, alternating between two pools. The minute of each swap has two versions. The
 * later version has more trades.
 */
const minutesOf = (step: number): readonly Closed[] => {
  const atMs = noonMs + step * 12 * minuteMs
  const number = 1 + (step % 2)
  const minute = { pool: poolId(number), minuteAtMs: atMs, lastSwapAtMs: atMs }
  return [
    [atMs + 4, [[address(number), buildMinute({ ...minute, buys: step })]]],
    [
      atMs + 20_000,
      [[address(number), buildMinute({ ...minute, buys: step + 5, sellWei: BigInt(step) * 10n ** 16n })]],
    ],
  ]
}

const events: readonly Closed[] = [
  [
    noonMs + 3,
    [1, 2, 3].map((number) => [
      address(number),
      buildPoolOpened({ pool: poolId(number), createdAtMs: noonMs + number }),
    ]),
  ],
  ...Array.from({ length: 5 }, (_, step) => minutesOf(step)).flat(),
  [noonMs + 18 * minuteMs + 100, [[address(2), buildBurst({ pool: poolId(2), atMs: noonMs + 18 * minuteMs })]]],
  [noonMs + 19 * minuteMs, [[address(2), buildBuyers({ pool: poolId(2), atMs: noonMs + 18 * minuteMs })]]],
  [noonMs + 24 * minuteMs + 100, [[address(1), buildBurst({ pool: poolId(1), atMs: noonMs + 24 * minuteMs })]]],
  [noonMs + 25 * minuteMs, [[address(1), buildBuyers({ pool: poolId(1), atMs: noonMs + 24 * minuteMs })]]],
  [noonMs + 49 * minuteMs, [[address(2), buildOutcome({ pool: poolId(2), atMs: noonMs + 18 * minuteMs })]]],
  [noonMs + 60 * minuteMs + 3000, []],
  [noonMs + 60 * minuteMs + 5000, []],
]

/** One hour of three pools: minutes with two versions, and two bursts with buyers. One burst has an outcome. */
export async function writeMarket(derived: DerivedLog): Promise<void> {
  for (const [atMs, records] of [...events].sort(([left], [right]) => left - right)) await derived.tick(atMs, records)
}
