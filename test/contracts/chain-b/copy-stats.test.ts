/** Tests what the tables show about the copied buys of one wallet. */
import { expect } from 'chai'
import { base58OfHex } from '../../../infra/base58.ts'
import type { Database } from '../../../infra/clickhouse/database.ts'
import { createChainBQueries } from '../../../projections/chain-b/queries/chain-b.ts'
import type { CopyStatsRow } from '../../../projections/chain-b/queries/chain-b-queries.ts'
import {
  buildCopyClosed,
  buildCopyOpened,
  buildRestated,
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
const [one, two] = [nameOf(1), nameOf(2)]

type Bought = Readonly<{ number: number; by: number; atMs: number; mint?: number }>

const opened = ({ number, by, atMs, mint: of = 1 }: Bought): MintRecord => [
  mint(of),
  buildCopyOpened({ atMs, txHash: signature(number), wallet: wallet(by) }),
]
const closed = (
  { number, by, atMs, mint: of = 1 }: Bought,
  fields: Parameters<typeof buildCopyClosed>[0] = {},
): MintRecord => [mint(of), buildCopyClosed({ atMs, txHash: signature(number), wallet: wallet(by), ...fields })]

/**
 * The fields of a tick at a whole hour, whose block is 1 ms after that hour. The answers of that hour include
 * the tick's records.
 */
const passing = (atMs: number) => ({ blockAtMs: atMs + 1 })

/** A log with a tick before noon. */
async function createLog(): Promise<ChainBLog> {
  const derived = await createChainBLog()
  await derived.tick(noonMs - 1)
  return derived
}

/** Returns five finished buys, so that the wallet is in the list of leaders. */
const listed = (by: number, from: number): readonly MintRecord[] =>
  Array.from({ length: 5 }, (_, index) => closed({ number: from + index, by, atMs: noonMs - 5 * hourMs, mint: 99 }))

describe('the copied buys of a wallet of chain B in the tables', () => {
  const tables = chainBTablesOfTests()
  const statsAt = async (atMs: number, of = one): Promise<CopyStatsRow> =>
    (await tables.queries.copyStats(await tables.cutAt(atMs), of)) ?? expect.fail('nothing is known of the wallet')
  const mayHold = async (atMs: number, of: string) =>
    tables.queries.tracked.wallets.mayHold(of, await tables.cutAt(atMs))

  it('are shown as they were known at the rebuild, the hour after them once it is over', async () => {
    const derived = await createLog()
    const atMs = noonMs + 30 * minuteMs
    const buy = { number: 7, by: 1, atMs }
    await derived.tick(noonMs, [], passing(noonMs))
    await derived.tick(atMs + 100, [opened(buy), opened({ ...buy, number: 8, by: 2 })])
    await derived.tick(atMs + hourMs + 200, [closed(buy)])
    for (const hours of [3, 4]) await derived.tick(noonMs + hours * hourMs)
    await tables.project(derived)
    const cut = await tables.cutAt(noonMs + hourMs - 1)
    expect(await tables.queries.copyStats(cut, one), 'not known at the rebuild').to.equal(null)
    const bought = {
      ...{ mint: mint(1), atMs, txHash: base58OfHex(signature(7)), logIndex: 0, slot: 77, wallet: one },
      ...{ lamports: '1500000000', leaderSol: 1.5, fillAt: 0.4, launchAtMs: noonMs - 30 * minuteMs, tokenAgeMin: 60 },
      ...{
        px: 5e-8,
        supersedesAtMs: null,
        otherLeaders: 0,
        gaps: null,
        knownAtMs: atMs + 100,
        publishedAtMs: atMs + 107,
      },
    }
    const nothing = {
      ...{
        buys: 1,
        rank: null,
        n: 0,
        evRaw: null,
        evShrunk: 0,
        prior: 0,
        winShare: null,
        shadowed: 0,
        shadowHit: null,
      },
      ...{ sold: 0, medSoldSec: null, medSellGain: null, soldWithin60s: 0 },
    }
    // The result of the buy is in the first tick after 13:00. The list of 13:00 contains only what earlier
    // ticks made known, so it lacks this result.
    for (const later of [90 * minuteMs + 200, 3 * hourMs - 1])
      expect(await statsAt(noonMs + later)).to.deep.equal({
        ...{
          rebuiltAtMs: noonMs + hourMs,
          buys: [{ ...bought, result: null, filled: { seconds: null, outcome: null } }],
          summary: nothing,
        },
      })
    const { leaderSale, ...result } = buildCopyClosed().data
    expect(leaderSale).to.not.equal(null)
    const { isHit, path, quoteDrift, fillSlip, ret, exit, exitSec } = result
    const after = {
      ...{ wallet: one, isHit, path, quoteDrift, fillSlip, ret, exit, exitSec },
      ...{ saleAfterSec: 90, saleShare: 0.5, saleGain: 0.25 },
    }
    const closedAtMs = atMs + hourMs + 200
    const closedStamp = { knownAtMs: closedAtMs, publishedAtMs: closedAtMs + 7 }
    expect(await statsAt(noonMs + 3 * hourMs)).to.deep.equal({
      rebuiltAtMs: noonMs + 2 * hourMs,
      buys: [{ ...bought, result: after, filled: { seconds: null, outcome: closedStamp } }],
      summary: {
        ...{ buys: 1, rank: null, n: 1, evRaw: 0.5, evShrunk: 0.5, prior: 0.5, winShare: 1, shadowed: 1, shadowHit: 1 },
        ...{ sold: 1, medSoldSec: 90, medSellGain: 0.25, soldWithin60s: 0 },
      },
    })
  })

  it('are the newest 100 of 14 days, ties by mint and transaction; the summary is of all', async () => {
    const derived = await createLog()
    const edge = noonMs - 14 * dayMs
    const buys: readonly Bought[] = [
      { number: 1, by: 1, atMs: edge },
      { number: 2, by: 1, atMs: edge + 1 },
      ...Array.from({ length: 100 }, (_, index) => ({ number: 10 + index, by: 1, atMs: noonMs - 2 * hourMs })),
      { number: 3, by: 1, atMs: noonMs - hourMs },
    ]
    await derived.tick(
      noonMs,
      buys.flatMap((buy) => [opened(buy), closed(buy)]),
      passing(noonMs),
    )
    await derived.tick(noonMs + 5000)
    await tables.project(derived)
    const { buys: shown, summary } = await statsAt(noonMs)
    const ties = Array.from({ length: 100 }, (_, index) => base58OfHex(signature(10 + index))).sort()
    expect(shown.map(({ txHash }) => txHash)).to.deep.equal([base58OfHex(signature(3)), ...ties.slice(0, 99)])
    expect(summary).to.include({ buys: 102, shadowed: 102, n: 60, rank: 1, evRaw: 0.5 })
  })

  it('are counted as in the list of leaders, which says the rank', async () => {
    const derived = await createLog()
    const buyOf = (by: number) => (_: unknown, index: number) => ({
      number: 100 * by + index,
      by,
      atMs: noonMs - hourMs,
    })
    const rets = [0.5, -0.25, 2, 0.125, 0.75, -1]
    const ofTwo = rets.map(buyOf(2))
    const ofOne = Array.from({ length: 5 }, buyOf(1))
    const all = [
      ...ofOne.flatMap((buy) => [opened(buy), closed(buy)]),
      ...ofTwo.flatMap((buy, index) => [opened(buy), closed(buy, { ret: rets[index] ?? null, isHit: index > 3 })]),
    ]
    await derived.tick(noonMs, all, passing(noonMs))
    await derived.tick(noonMs + 5000)
    await tables.project(derived)
    const { leaders, prior } = (await tables.queries.leaderList(await tables.cutAt(noonMs))) ?? expect.fail('no list')
    expect(leaders.map(({ wallet: name }) => name)).to.deep.equal([one, two])
    for (const [index, { wallet: name, lastBuyAtMs, gapBuys, ...metrics }] of leaders.entries()) {
      expect({ lastBuyAtMs, gapBuys }).to.deep.equal({ lastBuyAtMs: noonMs - hourMs, gapBuys: 0 })
      const { buys, ...summary } = (await statsAt(noonMs, name)).summary
      expect(summary).to.deep.equal({ ...metrics, rank: index + 1, prior })
      expect(buys).to.equal(metrics.shadowed)
    }
  })

  it('name how many others of the list in force at the buy had bought the mint by then', async () => {
    const derived = await createLog()
    // Wallets 2 and 3 are leaders from 12:00 on, wallet 4 from 13:00 on.
    await derived.tick(noonMs, [...listed(2, 200), ...listed(3, 300)], passing(noonMs))
    await derived.tick(noonMs + 2, listed(4, 400))
    await derived.tick(noonMs + hourMs, [], passing(noonMs + hourMs))
    const buys: readonly Bought[] = [
      { number: 1, by: 2, atMs: noonMs - minuteMs, mint: 5 },
      { number: 2, by: 1, atMs: noonMs - 1, mint: 5 },
      { number: 3, by: 1, atMs: noonMs, mint: 5 },
      { number: 4, by: 3, atMs: noonMs + minuteMs, mint: 5 },
      { number: 5, by: 4, atMs: noonMs + minuteMs, mint: 5 },
      { number: 6, by: 9, atMs: noonMs + minuteMs, mint: 5 },
      { number: 7, by: 1, atMs: noonMs + minuteMs, mint: 5 },
      { number: 8, by: 1, atMs: noonMs + hourMs, mint: 5 },
      { number: 9, by: 1, atMs: noonMs + hourMs, mint: 6 },
      { number: 10, by: 3, atMs: noonMs + hourMs + 1, mint: 6 },
    ]
    await derived.tick(noonMs + hourMs + minuteMs, buys.map(opened))
    await derived.tick(noonMs + 2 * hourMs + 1)
    await derived.tick(noonMs + 2 * hourMs + 5000)
    await tables.project(derived)
    const othersOf = async (name: string) =>
      Object.fromEntries(
        (await statsAt(noonMs + 2 * hourMs + 1, name)).buys.map(({ txHash, otherLeaders }) => [
          buys.find(({ number }) => base58OfHex(signature(number)) === txHash)?.number,
          otherLeaders,
        ]),
      )
    expect(await othersOf(one)).to.deep.equal({ 2: null, 3: 1, 7: 2, 8: 3, 9: 0 })
    expect(await othersOf(nameOf(3)), 'not itself').to.deep.equal({ 4: 1, 10: 0 })
  })

  it('know of no list in force where the last one is three hours old', async () => {
    const derived = await createLog()
    await derived.tick(noonMs, listed(2, 200), passing(noonMs))
    await derived.tick(noonMs + 1)
    const late = noonMs + 3 * hourMs
    await derived.tick(late + 2 * hourMs, [
      opened({ number: 1, by: 1, atMs: late - 1 }),
      opened({ number: 2, by: 1, atMs: late }),
    ])
    await derived.tick(late + 2 * hourMs + 1)
    await derived.tick(late + 2 * hourMs + 5000)
    await tables.project(derived)
    const { buys } = await statsAt(late + 2 * hourMs)
    expect(buys.map(({ atMs, otherLeaders }) => [atMs - late, otherLeaders])).to.deep.equal([
      [0, null],
      [-1, 0],
    ])
  })

  it('leave the answer in the rebuild after a reorg, and stay in those before', async () => {
    const derived = await createLog()
    const atMs = noonMs - 2 * hourMs
    const [kept, moved] = [1, 2].map((number) => ({ number, by: 1, atMs }))
    if (!kept || !moved) expect.fail()
    await derived.tick(
      noonMs,
      [kept, moved].flatMap((buy) => [opened(buy), closed(buy)]),
      passing(noonMs),
    )
    const { txHash, logIndex } = buildCopyOpened({ txHash: signature(2) }).data
    const row = { atMs, txHash, logIndex }
    const movedAtMs = atMs + 2000
    await derived.tick(
      noonMs + minuteMs,
      [
        [mint(1), buildWithdrawn({ recordType: 'CopyOpened', ...row })],
        [mint(1), buildWithdrawn({ recordType: 'CopyClosed', ...row })],
        [mint(1), buildRestated({ recordType: 'CopyOpened', ...row, atMs: movedAtMs, supersedesAtMs: atMs })],
        opened({ ...moved, atMs: movedAtMs }),
      ],
      { revertedFrom: 7 },
    )
    await derived.tick(noonMs + hourMs + 1)
    await derived.tick(noonMs + hourMs + minuteMs, [
      [mint(1), buildWithdrawn({ recordType: 'CopyOpened', ...row, atMs: movedAtMs })],
      [mint(1), buildWithdrawn({ recordType: 'CopyOpened', ...row, txHash: signature(1) })],
      [mint(1), buildWithdrawn({ recordType: 'CopyClosed', ...row, txHash: signature(1) })],
    ])
    await derived.tick(noonMs + 2 * hourMs + 1)
    await derived.tick(noonMs + 2 * hourMs + 2)
    await tables.project(derived)
    const shown = async (laterMs: number) =>
      (await statsAt(noonMs + laterMs)).buys.map((buy) => [buy.atMs - atMs, buy.supersedesAtMs, buy.result !== null])
    expect(await shown(hourMs)).to.deep.equal([
      [0, null, true],
      [0, null, true],
    ])
    expect(await shown(hourMs + 1)).to.deep.equal([
      [2000, atMs, false],
      [0, null, true],
    ])
    expect((await statsAt(noonMs + hourMs + 1)).summary).to.include({ buys: 2, shadowed: 1, n: 1 })
    expect(await tables.queries.copyStats(await tables.cutAt(noonMs + 2 * hourMs + 1), one)).to.equal(null)
  })

  it('are asked of the tables once for all cuts of an hour, and again after a failure', async () => {
    const derived = await createLog()
    await derived.tick(noonMs, [opened({ number: 1, by: 1, atMs: noonMs - hourMs })], passing(noonMs))
    for (const later of [5000, 10_000, hourMs + 1, hourMs + 5000]) await derived.tick(noonMs + later)
    await tables.project(derived)
    let asked = 0
    let isDown = true
    const query: Database['query'] = (sql, parameters) => {
      if (sql.includes('chain_b_copies')) asked += 1
      return isDown && asked > 0 ? Promise.reject(new RangeError('down')) : tables.writer.query(sql, parameters)
    }
    const queries = createChainBQueries({ database: { ...tables.writer, query } })
    const statsOf = async (laterMs: number) => queries.copyStats(await tables.cutAt(noonMs + laterMs), one)
    const failure = await statsOf(0).catch((error) => error)
    expect(failure).to.have.property('message', 'down')
    isDown = false
    const first = await statsOf(0)
    expect(first?.buys).to.have.length(1)
    const spent = asked
    expect(await statsOf(6000)).to.deep.equal(first)
    expect(asked).to.equal(spent)
    expect((await statsOf(hourMs + 10))?.rebuiltAtMs).to.equal(noonMs + hourMs)
    expect(asked).to.be.above(spent)
  })

  it('are tracked as long as the list in force looks back to one, of wallets in their own case', async () => {
    const derived = await createLog()
    await derived.tick(noonMs, [], passing(noonMs))
    const atMs = noonMs + minuteMs
    await derived.tick(noonMs + 2 * minuteMs, [opened({ number: 1, by: 1, atMs })])
    await derived.tick(noonMs + hourMs, [], passing(noonMs + hourMs))
    await derived.tick(noonMs + hourMs + 1, [opened({ number: 2, by: 2, atMs })])
    await derived.tick(noonMs + 2 * hourMs + 1)
    await derived.tick(noonMs + 14 * dayMs + hourMs + 1)
    await derived.tick(noonMs + 14 * dayMs + hourMs + 2)
    await tables.project(derived)
    const held = async (laterMs: number) => {
      const names = [one, two, one.toLowerCase(), "x' OR 1", nameOf(3)]
      const found: boolean[] = []
      for (const name of names) found.push(await mayHold(noonMs + laterMs, name))
      return found
    }
    const answered = async (laterMs: number, name: string) =>
      (await tables.queries.copyStats(await tables.cutAt(noonMs + laterMs), name)) !== null
    expect(await held(minuteMs), 'not on the list’s hour').to.deep.equal([false, false, false, false, false])
    expect(await held(hourMs)).to.deep.equal([true, false, false, false, false])
    expect([await answered(hourMs, one), await answered(hourMs, two)]).to.deep.equal([true, false])
    expect(await held(2 * hourMs + 1)).to.deep.equal([true, true, false, false, false])
    expect(await answered(2 * hourMs + 1, "x' OR 1")).to.equal(false)
    const late = 14 * dayMs + hourMs
    expect(await answered(late, one), 'the list in force is of 14 days before').to.equal(true)
    expect(await held(late)).to.deep.equal([true, true, false, false, false])
    expect(await answered(late + 1, one)).to.equal(false)
    expect(await held(late + 1)).to.deep.equal([false, false, false, false, false])
  })
})
