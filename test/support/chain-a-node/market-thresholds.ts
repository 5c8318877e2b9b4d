/** Scripts at the thresholds of size and time. Some thresholds are met exactly, and others are just missed. */

import type { Scene } from './market.ts'
import type { Book, MarketPool } from './market-book.ts'

/**
 * Makes one buy for each size, one every `everySec` seconds from `fromAtMs` on. By default, each buy has its
 * own wallet.
 */
export function buys(
  book: Book,
  pool: MarketPool,
  run: Readonly<{ fromAtMs: number; everySec: number; sizes: readonly number[]; wallet?: (index: number) => string }>,
): void {
  run.sizes.forEach((eth, index) => {
    const wallet = run.wallet?.(index) ?? `${pool.name} ${index}`
    book.swap(pool, { atMs: run.fromAtMs + index * run.everySec * 1000, eth, wallet })
  })
}

export const same = (count: number, eth: number): readonly number[] => Array.from({ length: count }, () => eth)

/** Scripts a pool that opens at minute 0 and has one series of buys. The series begins at `minute`. */
const run =
  (name: string, minute: number, sizes: readonly number[]): Scene =>
  (book, clock) =>
    buys(book, book.open({ name, atMs: clock(0) }), { fromAtMs: clock(minute), everySec: 4, sizes })

const elevenBuys = run('eleven', 10, same(11, 0.12))
const justShort = run('just short', 11, [...same(11, 0.09), 0.0099])
const exactlyOne = run('exactly one', 12, [...same(10, 0.08), 0.1, 0.1])
const sevenBuys = run('seven', 13, same(7, 0.1))
const eightBuys = run('eight', 14, same(8, 0.07))
/**
 * Eleven buys come every 5 s, and a twelfth buy comes exactly 60 s after the first. By then, the first buy
 * has just left the window.
 */
const windowEdge: Scene = (book, clock) => {
  const pool = book.open({ name: 'edge', atMs: clock(0) })
  buys(book, pool, { fromAtMs: clock(15), everySec: 5, sizes: same(11, 0.1) })
  book.swap(pool, { atMs: clock(16), eth: 0.1, wallet: 'edge last' })
}

/** The buys end before the pool is old enough. Later, a small sell is the only trade in the last 15 s. */
const silent: Scene = (book, clock) => {
  const pool = book.open({ name: 'silent', atMs: clock(20) })
  buys(book, pool, { fromAtMs: clock(24, 10), everySec: 3, sizes: same(13, 0.11) })
  book.swap(pool, { atMs: clock(25, 3), eth: -0.001, wallet: 'silent 0' })
}

/** There are buys in the last 15 s, but the sells are larger. */
const sellingOff: Scene = (book, clock) => {
  const pool = book.open({ name: 'selling off', atMs: clock(20) })
  buys(book, pool, { fromAtMs: clock(24, 12), everySec: 3, sizes: same(13, 0.15) })
  book.swap(pool, { atMs: clock(25, 2), eth: -0.2, wallet: 'selling off 0' })
  book.swap(pool, { atMs: clock(25, 4), eth: 0.05, wallet: 'selling off 1' })
}

const tooYoung: Scene = (book, clock) => {
  const pool = book.open({ name: 'too young', atMs: clock(20) })
  buys(book, pool, { fromAtMs: clock(24), everySec: 4, sizes: same(14, 0.12) })
}

/** The twelfth buy comes when the pool is exactly five minutes old. */
const fiveMinutesOld: Scene = (book, clock) => {
  const pool = book.open({ name: 'five minutes', atMs: clock(20) })
  buys(book, pool, { fromAtMs: clock(24, 16), everySec: 4, sizes: [...same(6, 0.1), ...same(6, 0.13)] })
}

/** Three blocks of the same second contain the burst. The sell in the fourth block ends the burst. */
const sameSecond: Scene = (book, clock) => {
  const pool = book.open({ name: 'same second', atMs: clock(0) })
  for (let index = 0; index < 12; index++) {
    const slot = Math.floor(index / 4)
    book.swap(pool, { atMs: clock(17), slot, eth: 0.09 + index / 500, wallet: `same second ${index}` })
  }
  book.swap(pool, { atMs: clock(17), slot: 3, eth: -0.3, wallet: 'same second 0' })
  book.swap(pool, { atMs: clock(17), slot: 4, eth: 0.2, wallet: 'same second 1' })
}

export const thresholdScenes: readonly Scene[] = [
  elevenBuys,
  justShort,
  exactlyOne,
  sevenBuys,
  eightBuys,
  windowEdge,
  silent,
  sellingOff,
  tooYoung,
  fiveMinutesOld,
  sameSecond,
]
