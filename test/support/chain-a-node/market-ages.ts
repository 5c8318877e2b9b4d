/** Scripts bursts that fire again, bursts at the end of the log, and bursts in pools that are hours old. */
import type { Scene } from './market.ts'
import { buys, same } from './market-thresholds.ts'

/**
 * A main burst fires at 12 min 44 s. The thresholds are met again 29 min 30 s after it, and are still met
 * exactly 30 min after it.
 */
const again: Scene = (book, clock) => {
  const pool = book.open({ name: 'again', atMs: clock(0) })
  buys(book, pool, { fromAtMs: clock(12), everySec: 4, sizes: same(12, 0.1) })
  book.swap(pool, { atMs: clock(14), eth: -0.2, wallet: 'again 3' })
  buys(book, pool, { fromAtMs: clock(41, 41), everySec: 3, sizes: same(12, 0.1) })
  buys(book, pool, { fromAtMs: clock(42, 24), everySec: 5, sizes: same(5, 0.12) })
}

/** The first burst comes when the pool is 6 h 10 min old, and the next burst about 40 min later. */
const oldTimer: Scene = (book, clock) => {
  const pool = book.open({ name: 'old', atMs: clock(0), liquidityEth: 8 })
  book.swap(pool, { atMs: clock(30), eth: 0.05, wallet: 'old early' })
  buys(book, pool, { fromAtMs: clock(370), everySec: 4, sizes: [0.2, ...same(12, 0.09)] })
  buys(book, pool, { fromAtMs: clock(372), everySec: 30, sizes: same(6, 0.2) })
  for (let index = 0; index < 6; index++)
    book.swap(pool, { atMs: clock(376, index * 20), eth: -0.3, wallet: `old ${index}` })
  buys(book, pool, { fromAtMs: clock(411), everySec: 4, sizes: same(13, 0.11) })
}

/** The pool fires a main burst early. Therefore it does not fire an `old` burst hours later. */
const veteran: Scene = (book, clock) => {
  const pool = book.open({ name: 'veteran', atMs: clock(1), liquidityEth: 30 })
  buys(book, pool, { fromAtMs: clock(32), everySec: 4, sizes: same(13, 0.1) })
  buys(book, pool, { fromAtMs: clock(380), everySec: 4, sizes: same(13, 0.1) })
}

/** The twelfth buy comes exactly 6 h after the pool was created, so the pool does not count as old yet. */
const sixHours: Scene = (book, clock) => {
  const pool = book.open({ name: 'six hours', atMs: clock(2) })
  buys(book, pool, { fromAtMs: clock(361, 16), everySec: 4, sizes: same(12, 0.1) })
}

/** The twelfth buy comes 6 h and 1 s after the pool was created, so the pool counts as old. */
const sixHoursOne: Scene = (book, clock) => {
  const pool = book.open({ name: 'six hours and a second', atMs: clock(2) })
  buys(book, pool, { fromAtMs: clock(361, 17), everySec: 4, sizes: same(12, 0.1) })
}

/** The prefix of the names of the pools whose bursts fire shortly before the live part. */
export const latePrefix = 'late '

/**
 * Bursts that fire two minutes apart in the last 29 min before the live part. The outcome of a burst is known
 * 30 min after the burst. So some minutes into the live part, at least one outcome is still open.
 */
const late = [0, 2, 4, 6, 8, 10].map(
  (minutes): Scene =>
    (book, clock) => {
      const name = `${latePrefix}${minutes}`
      const pool = book.open({ name, atMs: clock(400 + minutes) })
      buys(book, pool, { fromAtMs: clock(415 + minutes, 16), everySec: 4, sizes: same(14, 0.1) })
      book.swap(pool, { atMs: clock(417 + minutes), eth: 0.3, wallet: `${name} 3` })
      book.swap(pool, { atMs: clock(440), eth: -0.2, wallet: `${name} 3` })
    },
)

export const ageScenes: readonly Scene[] = [again, oldTimer, veteran, sixHours, sixHoursOne, ...late]
