/**
 * Writes rows of every kind that a data route shows, for both chains and for chats. `writeMore` then changes
 * some of these rows, writes some again, and withdraws others.
 */
import type { AnsweredRoute } from '../../api/route.ts'
import { base58OfHex } from '../../infra/base58.ts'
import {
  buildCall,
  buildGrade,
  buildPrecall,
  buildPrecallBuyers,
  buildScored,
  type CallsLog,
} from '../projections/calls/derived-log.ts'
import * as b from '../projections/chain-b/derived-log.ts'
import * as a from '../projections/derived-log.ts'

const { address, noonMs, poolId } = a
const { mint, signature, wallet } = b
const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** The time at which `writeMore` changes rows. */
export const changedAtMs = noonMs + 90 * minuteMs

const numbers = [1, 2, 3] as const
const copiedAtMs = noonMs - 2 * hourMs
const copies = [0, 1, 2, 3, 4, 5].map((index) => ({ index, atMs: copiedAtMs, txHash: signature(index) }))
const desk = { openedAtMs: noonMs + 28 * minuteMs, closedAtMs: noonMs + 29 * minuteMs }
const deskRows = [b.buildDeskOpened(desk), b.buildDeskTrade(desk), b.buildDeskShadow()]
const calls = [buildCall({ ret1h: 0.5, maxRet: 0.75 }), buildScored(), buildGrade()]

/** Appends empty ticks, one per 30 s. A tick is the record that closes a time step. */
async function pass(log: CallsLog, fromMs: number, toMs: number): Promise<void> {
  for (let atMs = fromMs; atMs <= toMs; atMs += 30_000) await log.tick(atMs)
}

/** Writes up to 13:03. */
export async function writeFirst(log: CallsLog): Promise<void> {
  await log.tick(noonMs - 1000, {
    b: copies.flatMap(({ index, ...place }) => [
      [mint(index), b.buildCopyOpened({ ...place, launchAtMs: copiedAtMs - minuteMs })] as const,
      [mint(index), b.buildCopyClosed({ ...place, ret: index / 10 })] as const,
    ]),
  })
  await log.tick(noonMs + 30 * minuteMs, {
    a: [
      ...numbers.flatMap((number) => {
        const pool = poolId(number)
        const rows = [a.buildPoolOpened({ pool }), a.buildMinute({ pool }), a.buildBurst({ pool })]
        const later = [a.buildBuyers({ pool }), a.buildLp({ pool }), a.buildOutcome({ pool }), a.buildProfile({ pool })]
        return [...rows, ...later].map((row) => [address(number), row] as const)
      }),
      ...[...calls, buildPrecall(), buildPrecallBuyers(), ...deskRows, a.buildTradeGap()].map(
        (row) => [address(1), row] as const,
      ),
    ],
    b: [
      ...numbers.flatMap((number) => {
        const rows = [b.buildBurst(), b.buildAnatomy(), b.buildOutcome(), b.buildGraduation(), b.buildPost()]
        return rows.map((row) => [mint(number), row] as const)
      }),
      ...[...calls, b.buildSafety(), ...deskRows, b.buildTradeGap()].map((row) => [mint(1), row] as const),
    ],
  })
  await pass(log, noonMs + hourMs + 1000, noonMs + hourMs + 3 * minuteMs)
}

/**
 * Writes rows up to 14:03. Some rows get new values, and some are withdrawn. Other rows are written again,
 * with the same id or with a new id.
 */
export async function writeMore(log: CallsLog): Promise<void> {
  const atMs = changedAtMs
  const moved = { pool: poolId(1), atMs: noonMs + 2000 }
  const [openedAtMs, closedAtMs] = [atMs - 3000, atMs - 1000]
  const later = [b.buildDeskOpened({ openedAtMs }), b.buildDeskTrade({ openedAtMs, closedAtMs, ret: 0.5 })]
  const grown = [
    buildCall({ ret1h: 0.25, maxRet: 0.5, recalls: 3 }),
    buildScored({ ret1: 0.75, mfe: 0.8 }),
    buildGrade({ score: 40, grade: 'D', cards: 2, lastCardAtMs: atMs }),
  ]
  await log.tick(
    atMs,
    {
      a: [
        [address(1), a.buildWithdrawn()],
        [address(1), a.buildWithdrawn({ recordType: 'BurstBuyers' })],
        [address(1), a.buildWithdrawn({ recordType: 'BurstLp' })],
        [address(1), a.buildWithdrawn({ recordType: 'BurstOutcome' })],
        [address(1), a.buildRestated({ ...moved, supersedesAtMs: noonMs })],
        [address(1), a.buildBurst({ ...moved, buys: 99 })],
        [address(2), a.buildRestated({ pool: poolId(2) })],
        [address(2), a.buildBurst({ pool: poolId(2), buys: 77 })],
        [address(3), a.buildOutcome({ pool: poolId(3), ret30m: 0.99 })],
        [address(3), a.buildBuyers({ pool: poolId(3), wallets: [address(301), address(302), address(303)] })],
        [address(1), a.buildMinute({ minuteAtMs: atMs - (atMs % minuteMs), buys: 44, lastPx: 3e-24 })],
        [address(1), a.buildProfile({ checkedAtMs: atMs, insiderShare: 0.9 })],
        [address(4), a.buildPoolOpened({ pool: poolId(4), createdAtMs: atMs })],
        ...[...grown, buildPrecall({ buys: 7 }), ...later].map((row) => [address(1), row] as const),
      ],
      b: [
        [mint(1), b.buildWithdrawn()],
        [mint(1), b.buildRestated({ atMs: noonMs + 500, supersedesAtMs: noonMs })],
        [mint(1), b.buildBurst({ atMs: noonMs + 500, fillAt: 0.5 })],
        [mint(2), b.buildRestated()],
        [mint(2), b.buildBurst({ fillAt: 0.45 })],
        [mint(3), b.buildWithdrawn({ recordType: 'Graduation' })],
        [mint(2), b.buildPost({ ret1: 1, ret5: 2 })],
        ...copies
          .slice(0, 3)
          .map(
            (place) =>
              [mint(place.index), b.buildCopyClosed({ atMs: place.atMs, txHash: place.txHash, ret: 0.9 })] as const,
          ),
        [mint(1), b.buildSafety({ checkedAtMs: atMs, score: 90, isRugged: true })],
        ...[...grown, ...later].map((row) => [mint(1), row] as const),
      ],
    },
    { a: { revertedFrom: 7, ethUsd: 2500 }, b: { revertedFrom: 7, ethUsd: 175 } },
  )
  await pass(log, noonMs + 2 * hourMs + 1000, noonMs + 2 * hourMs + 3 * minuteMs)
}

/** Returns the value of a path parameter, by the name of the parameter. */
const namedInPaths: Readonly<Record<string, (pattern: string) => string>> = {
  id: () => poolId(1),
  mint: () => mint(1),
  addr: (pattern) => (pattern.includes('/wallets/') ? base58OfHex(wallet(1)) : address(1)),
}

/**
 * Returns a request path for a route. Each number parameter has its largest value, and each list parameter
 * has the value `all` if this is allowed.
 */
export function widestPathOf({ pattern, params }: AnsweredRoute): string {
  const path = pattern.replace(/:(\w+)/g, (_, name: string) => namedInPaths[name]?.(pattern) ?? name)
  const query = Object.entries(params).flatMap(([name, param]): [string, string][] => {
    if (param.type === 'number') return [[name, `${param.max}`]]
    return param.in === 'query' && param.type === 'string' && param.values.includes('all') ? [[name, 'all']] : []
  })
  return `${path}?${new URLSearchParams(query)}`
}
