/** Tests the list of leaders (wallets ranked by their buys) as the sink builds it, at different times. */
import { expect } from 'chai'
import { base58OfHex } from '../../../infra/base58.ts'
import type { Database } from '../../../infra/clickhouse/database.ts'
import type { LeaderListRow } from '../../../projections/chain-b/queries/chain-b-queries.ts'
import {
  buildCopyClosed,
  buildCopyOpened,
  buildWithdrawn,
  type ChainBLog,
  createChainBLog,
  type MintRecord,
  mint,
  signature,
  wallet,
} from '../../projections/chain-b/derived-log.ts'
import { noonMs } from '../../projections/derived-log.ts'
import { dayMs, hourMs, minuteMs } from '../projections-tables.ts'
import { chainBTablesOfTests } from './tables.ts'

const nameOf = (number: number): string => base58OfHex(wallet(number))

/** A buy in its own transaction. `number` distinguishes transactions. */
type Followed = Readonly<{ number: number; by: number; atMs?: number; mint?: number }>

const placeOf = ({ number, by, atMs = noonMs - 2 * hourMs }: Followed) => ({
  ...{ atMs, txHash: signature(number), wallet: wallet(by) },
})

const opened = (buy: Followed): MintRecord => [mint(buy.mint ?? 1), buildCopyOpened(placeOf(buy))]

/** Returns a buy whose hour is over. A buy without `ret` was not replayed. */
const closed = (buy: Followed, ret: number | null, fields: Parameters<typeof buildCopyClosed>[0] = {}): MintRecord => {
  const exit = ret === null ? { exit: null, exitSec: null } : {}
  return [mint(buy.mint ?? 1), buildCopyClosed({ ...placeOf(buy), ret, ...exit, ...fields })]
}

/** Returns buys of one wallet in consecutive transactions, 1 s apart. The newest buy is the last. */
const closedSeries = (by: number, from: number, rets: readonly (number | null)[]): readonly MintRecord[] =>
  rets.map((ret, index) => closed({ number: from + index, by, atMs: noonMs - 3 * hourMs + index * 1000 }, ret))

describe('the list of leaders of chain B', () => {
  const tables = chainBTablesOfTests()
  const listAt = async (atMs: number): Promise<LeaderListRow> =>
    (await tables.queries.leaderList(await tables.cutAt(atMs))) ?? expect.fail('there is no list')
  const walletsAt = async (atMs: number) => (await listAt(atMs)).leaders.map(({ wallet: name }) => name)

  /**
   * Returns noon's list of leaders. The records become known with the first block after noon, so this list
   * includes them.
   */
  const listOf = async (records: readonly MintRecord[]): Promise<LeaderListRow> => {
    const derived = await createChainBLog()
    await derived.tick(noonMs)
    await derived.tick(noonMs + 1, records)
    await derived.tick(noonMs + 5000)
    await tables.project(derived)
    return listAt(noonMs + 1)
  }

  it('ranks wallets by their mean, shrunk toward the mean of all replays', async () => {
    const list = await listOf([
      ...closedSeries(1, 100, [0.5, 0.5, 0.5, 0.5, 0.5]),
      ...closedSeries(2, 200, [0.25, 0.25, -0.5, 0.25, 0.25, 0.25, 0.25, 0.25, 0.5, 0.25]),
      // This wallet has too few replays for the list. They still count in the mean of all replays.
      ...closedSeries(3, 300, [1, 1, 1, 1]),
      // These buys are followed, but not replayed.
      ...closedSeries(2, 400, [null, null]),
    ])
    const prior = (5 * 0.5 + 2 + 4) / 19
    expect(list).to.include({ rebuiltAtMs: noonMs, knownAtMs: noonMs + 1, blockAtMs: noonMs, prior, replays: 19 })
    const sells = { sold: 5, medSoldSec: 90, medSellGain: 0.25, soldWithin60s: 0 }
    expect(list.leaders).to.deep.equal([
      {
        ...{ wallet: nameOf(1), n: 5, evShrunk: (5 * 0.5 + 10 * prior) / 15, evRaw: 0.5, winShare: 1 },
        ...{ shadowed: 5, shadowHit: 1, lastBuyAtMs: 0, gapBuys: 0, ...sells },
      },
      {
        ...{ wallet: nameOf(2), n: 10, evShrunk: (10 * 0.2 + 10 * prior) / 20, evRaw: 0.2, winShare: 0.9 },
        ...{ shadowed: 12, shadowHit: 1, lastBuyAtMs: 0, gapBuys: 0, ...sells, sold: 12 },
      },
    ])
  })

  it('counts a return as +100 % at most, a win as above 0', async () => {
    const { leaders, prior } = await listOf(closedSeries(1, 100, [7, 1, 1.25, 0, -1]))
    expect(prior).to.equal(0.4)
    expect(leaders[0]).to.include({ n: 5, evRaw: 0.4, evShrunk: (5 * 0.4 + 10 * 0.4) / 15, winShare: 0.6 })
  })

  it('takes the newest 60 replays of a wallet, and all of the window for the mean of all', async () => {
    const { leaders, prior, replays } = await listOf(
      closedSeries(1, 100, [...Array(10).fill(-1), ...Array(2).fill(null), ...Array(60).fill(0.5)]),
    )
    expect(replays).to.equal(70)
    expect(prior).to.equal(20 / 70)
    expect(leaders[0]).to.include({ n: 60, evRaw: 0.5, winShare: 1, shadowed: 72 })
  })

  it('breaks ties of one instant by mint, transaction and place, the first counting as the newest', async () => {
    const places = Array.from({ length: 61 }, (_, index) => ({ number: 500 + index, by: 1, mint: index % 3 }))
    const ofPlace = (buy: Followed) => `${mint(buy.mint ?? 1)} ${base58OfHex(signature(buy.number))}`
    const last = [...places].sort((left, right) => (ofPlace(left) < ofPlace(right) ? -1 : 1)).at(-1)
    const { leaders } = await listOf(places.map((buy) => closed(buy, buy === last ? -1 : 0.5)))
    expect(leaders[0]).to.include({ n: 60, evRaw: 0.5 })
  })

  it('breaks ties of rank by more replays, then by wallet, and lists 50', async () => {
    const many = Array.from({ length: 51 }, (_, index) => closedSeries(index, 1000 + 10 * index, Array(5).fill(0.25)))
    const { leaders } = await listOf([...many.flat(), ...closedSeries(90, 9000, Array(6).fill(0.25))])
    expect(leaders.map(({ evShrunk }) => evShrunk)).to.deep.equal(Array(50).fill(0.25))
    const byName = Array.from({ length: 51 }, (_, index) => nameOf(index)).sort()
    expect(leaders.map(({ wallet: name }) => name)).to.deep.equal([nameOf(90), ...byName.slice(0, 49)])
  })

  it('tells of the followed buys how many were hits, and what the wallet did itself', async () => {
    const buyOf = (number: number) => ({ number, by: 1, atMs: noonMs - 2 * hourMs + number })
    const sale = (afterSec: number, gain: number) => ({ leaderSale: { afterSec, share: 1, gain } })
    const records = [
      closed(buyOf(1), 0.1, sale(60, 0.5)),
      closed(buyOf(2), 0.1, { ...sale(61, -0.25), isHit: false }),
      closed(buyOf(3), 0.1, sale(1000, 0)),
      closed(buyOf(4), 0.1, { leaderSale: null, isHit: false }),
      closed(buyOf(5), null, { ...sale(20, 1), isHit: false }),
      closed(buyOf(6), 0.1, { leaderSale: null, isHit: false }),
    ]
    const newest = { number: 7, by: 1, atMs: noonMs - minuteMs }
    const { leaders } = await listOf([...records, opened(buyOf(6)), opened(newest)])
    expect(leaders).to.deep.equal([
      {
        ...{ wallet: nameOf(1), n: 5, evShrunk: 0.1, evRaw: 0.1, winShare: 1, shadowed: 6, shadowHit: 2 / 6 },
        ...{ lastBuyAtMs: newest.atMs, gapBuys: 0, sold: 4, medSoldSec: 60.5, medSellGain: 0.25, soldWithin60s: 2 },
      },
    ])
  })

  it('has no exits of a wallet that did not sell', async () => {
    const unsold = Array.from({ length: 5 }, (_, index) => closed({ number: index, by: 1 }, 0.5, { leaderSale: null }))
    expect((await listOf(unsold)).leaders[0]).to.include({ sold: 0, medSoldSec: null, medSellGain: null })
  })

  it('is empty, with a mean of 0, where nothing was replayed', async () => {
    const nothing = { rebuiltAtMs: noonMs, knownAtMs: noonMs + 1, blockAtMs: noonMs, prior: 0, replays: 0, leaders: [] }
    expect(await listOf([])).to.deep.equal(nothing)
    await tables.empty()
    expect(await listOf(closedSeries(1, 100, Array(9).fill(null)))).to.deep.equal(nothing)
  })

  it('looks 14 days back', async () => {
    const edge = noonMs - 14 * dayMs
    const { leaders } = await listOf([
      ...Array.from({ length: 6 }, (_, index) => closed({ number: index, by: 1, atMs: edge + 1 }, 0.5)),
      ...Array.from({ length: 6 }, (_, index) => closed({ number: 10 + index, by: 2, atMs: edge }, 0.5)),
    ])
    expect(leaders.map(({ wallet: name }) => name)).to.deep.equal([nameOf(1)])
  })

  // Each column is a tick. The row "writes" has the wallets whose buys the tick writes. The row "passes"
  // has the whole hour that the tick's block passes.
  // known    10:30   11:00          12:00:00.001   13:00:00.001   13:01             14:00:00.002   14:00:05
  // block    10:30   11:00:00.001   12:00          12:00:00.001   13:01             14:00:00.001   14:00:05
  // writes   -       -              1              2              3, withdraws 1    4              -
  // passes   -       11:00          -              12:00          13:00             14:00          -
  const writeHours = async (derived: ChainBLog) => {
    await derived.tick(noonMs - 90 * minuteMs)
    await derived.tick(noonMs - hourMs, [], { blockAtMs: noonMs - hourMs + 1 })
    await derived.tick(noonMs + 1, closedSeries(1, 100, Array(5).fill(0.5)), { blockAtMs: noonMs })
    await derived.tick(noonMs + hourMs + 1, closedSeries(2, 200, Array(5).fill(0.5)), { blockAtMs: noonMs + 1 })
    await derived.tick(
      noonMs + hourMs + minuteMs,
      [
        ...closedSeries(3, 300, Array(5).fill(0.5)),
        ...Array.from({ length: 5 }, (_, index) => {
          const { atMs, txHash } = placeOf({ number: 100 + index, by: 1, atMs: noonMs - 3 * hourMs + index * 1000 })
          return [mint(1), buildWithdrawn({ recordType: 'CopyClosed', atMs, txHash, logIndex: 0 })] as const
        }),
      ],
      { revertedFrom: 7 },
    )
    await derived.tick(noonMs + 2 * hourMs + 2, closedSeries(4, 400, Array(5).fill(0.5)), {
      blockAtMs: noonMs + 2 * hourMs + 1,
    })
    await derived.tick(noonMs + 2 * hourMs + 5000)
  }
  const inOrder = (...numbers: readonly number[]) => numbers.map(nameOf).sort()

  it('is made once a block has passed the whole hour, from what was known by then, and stands until the next one', async () => {
    const derived = await createChainBLog()
    await writeHours(derived)
    await tables.project(derived)
    const shown = async (afterMs: number) => [
      await walletsAt(noonMs + afterMs),
      (await listAt(noonMs + afterMs)).rebuiltAtMs,
    ]
    for (const atMs of [-hourMs, 0, 1, hourMs])
      expect(await shown(atMs), 'no block has passed noon').to.deep.equal([[], noonMs - hourMs])
    for (const atMs of [hourMs + 1, hourMs + minuteMs - 1])
      expect(await shown(atMs), 'an hour late').to.deep.equal([inOrder(1, 2), noonMs])
    for (const atMs of [hourMs + minuteMs, 2 * hourMs + 1])
      expect(await shown(atMs), 'after the reorg').to.deep.equal([inOrder(2, 3), noonMs + hourMs])
    expect(await shown(2 * hourMs + 2)).to.deep.equal([inOrder(2, 3, 4), noonMs + 2 * hourMs])
  })

  it('is the same row in batches of any size, and made anew from the log', async () => {
    const derived = await createChainBLog()
    await writeHours(derived)
    const rows = () =>
      tables.writer.query<object>('SELECT * FROM chain_b_leader_lists ORDER BY ALL').then((all) => JSON.stringify(all))
    await tables.project(derived, { tickCountMax: 1, rowCountMax: 1 })
    const expected = await rows()
    expect(JSON.parse(expected)).to.have.length(4)
    for (const tickCountMax of [2, 3, 1000]) {
      await tables.empty()
      await tables.project(derived, { tickCountMax, rowCountMax: 1000 })
      expect(await rows(), `${tickCountMax}`).to.equal(expected)
    }
    await tables.rebuild(derived)
    expect(await rows(), 'rebuilt').to.equal(expected)
  })

  it('is made each minute of the log’s first hour, until there is a whole hour', async () => {
    const derived = await createChainBLog()
    const firstAtMs = noonMs + 50 * minuteMs + 30_000
    await derived.tick(firstAtMs, closedSeries(1, 100, Array(5).fill(0.5)))
    await derived.tick(firstAtMs + 20_000)
    await tables.project(derived)
    expect(await tables.queries.leaderList(await tables.cutAt(firstAtMs + 19_000))).to.equal(null)
    for (const minutes of [0.51, 1.5, 5, 9.49, 9.5, 9.51, 30, 31]) await derived.tick(firstAtMs + minutes * minuteMs)
    await tables.project(derived)
    const madeAtMin = async (minutes: number) =>
      ((await listAt(firstAtMs + minutes * minuteMs)).rebuiltAtMs - firstAtMs) / minuteMs
    expect(await madeAtMin(0.51)).to.equal(0.5)
    expect(await madeAtMin(1.5), 'the next block may be of that minute').to.equal(0.5)
    expect(await madeAtMin(5)).to.equal(4.5)
    expect(await madeAtMin(9.5)).to.equal(8.5)
    expect(await madeAtMin(9.51)).to.equal(9.5)
    expect(await madeAtMin(30), 'on the whole hour').to.equal(9.5)
  })

  it('is made of the last whole hour that a tick passes, however long there was none', async () => {
    const derived = await createChainBLog()
    await derived.tick(noonMs, closedSeries(1, 100, Array(5).fill(0.5)))
    await derived.tick(noonMs + 1)
    const laterAtMs = noonMs + 5 * hourMs + minuteMs
    await derived.tick(laterAtMs, closedSeries(2, 200, Array(5).fill(0.5)))
    await derived.tick(laterAtMs + 1000)
    await tables.project(derived)
    const made = await tables.writer.query<{ hour: string }>(
      `SELECT intDiv(known_at_ms - ${noonMs}, ${hourMs}) AS hour FROM chain_b_leader_lists ORDER BY known_at_ms`,
    )
    expect(made.map(({ hour }) => Number(hour))).to.deep.equal([0, 5])
    expect((await listAt(laterAtMs - 1)).rebuiltAtMs).to.equal(noonMs)
    expect(await listAt(laterAtMs)).to.include({ rebuiltAtMs: noonMs + 5 * hourMs, knownAtMs: laterAtMs })
    expect(await walletsAt(laterAtMs)).to.deep.equal(inOrder(1, 2))
  })

  it('counts no buy whose hour ends after the instant that it tells of, however much is known', async () => {
    const derived = await createChainBLog()
    await derived.tick(noonMs - 1)
    const series = (by: number, atMs: number) =>
      Array.from({ length: 5 }, (_, index) => closed({ number: 10 * by + index, by, atMs }, 0.5))
    await derived.tick(noonMs + 50 * minuteMs, [...series(1, noonMs - hourMs), ...series(2, noonMs - hourMs + 1)])
    await derived.tick(noonMs + 51 * minuteMs)
    await tables.project(derived)
    expect(await listAt(noonMs + 50 * minuteMs)).to.include({ rebuiltAtMs: noonMs, replays: 5 })
    expect(await walletsAt(noonMs + 50 * minuteMs)).to.deep.equal(inOrder(1))
  })

  it('is made at the next start if an earlier version stopped at the tick that passes the hour', async () => {
    const derived = await createChainBLog()
    await derived.tick(noonMs - 90 * minuteMs)
    await derived.tick(noonMs + 1, closedSeries(1, 100, Array(5).fill(0.5)))
    await tables.project(derived)
    await tables.writer.command('TRUNCATE TABLE chain_b_leader_lists')
    await derived.tick(noonMs + 1000)
    await tables.project(derived)
    expect(await listAt(noonMs + 1)).to.include({ rebuiltAtMs: noonMs, knownAtMs: noonMs + 1 })
  })

  it('is there at every cut that reaches its hour, wherever the sink dies and whichever partition is behind', async () => {
    const derived = await createChainBLog()
    await writeHours(derived)
    await tables.project(derived)
    const rowsOf = async () =>
      JSON.stringify(await tables.writer.query('SELECT DISTINCT * FROM chain_b_leader_lists ORDER BY ALL'))
    const expected = await rowsOf()
    await tables.empty()
    const reached: number[] = []
    for (let isDead = true; isDead; ) {
      let left = 3 + (reached.length % 8)
      const insert: Database['insert'] = async (rows) => {
        if (left-- > 0) return tables.writer.insert(rows)
        throw new Error('killed')
      }
      const batches = { tickCountMax: 1000, rowCountMax: 1 }
      isDead = await tables.project(derived, batches, { ...tables.writer, insert }).then(
        () => false,
        () => true,
      )
      const cut = await tables.newestCutOrNull()
      reached.push(cut?.atMs ?? 0)
      if (cut === null || cut.atMs < noonMs - hourMs) continue
      const list = await tables.queries.leaderList(cut)
      const passed = [-hourMs, hourMs + 1, hourMs + minuteMs, 2 * hourMs + 2].filter((ms) => noonMs + ms <= cut.atMs)
      expect(list?.rebuiltAtMs, `at ${cut.atMs}`).to.equal(noonMs + (passed.length - 2) * hourMs)
    }
    expect(new Set(reached).size, 'cuts between deaths').to.be.above(3)
    expect(await rowsOf()).to.equal(expected)
  })
})
