/** Tests how rows of chain B show missing trades, as the service knew them at different times. */
import { expect } from 'chai'
import { base58OfHex } from '../../../infra/base58.ts'
import type { Graduation } from '../../../schemas/chain-b/derived.ts'
import {
  buildBurst,
  buildCopyClosed,
  buildCopyOpened,
  buildGraduation,
  buildOutcome,
  buildPost,
  buildRestated,
  buildTradeGap,
  buildWithdrawn,
  createChainBLog,
  mint,
  signature,
  wallet,
} from '../../projections/chain-b/derived-log.ts'
import { noonMs } from '../../projections/derived-log.ts'
import { dayMs, hourMs, minuteMs } from '../projections-tables.ts'
import { chainBTablesOfTests } from './tables.ts'

const gapRow = { recordType: 'TradeGap', txHash: signature(9), logIndex: 2 } as const

describe('missing trades of chain B in the tables', () => {
  const tables = chainBTablesOfTests()
  const burstAt = async (atMs: number) => {
    const [burst] = await tables.queries.burstsLive(await tables.cutAt(atMs), { minutes: 240 })
    return burst?.gaps
  }

  it('flag a burst whose window they touch, once they are known, in their last version', async () => {
    const derived = await createChainBLog()
    const gap = buildTradeGap({ atMs: noonMs + minuteMs, fromAtMs: noonMs - 1000, toAtMs: noonMs + minuteMs })
    await derived.tick(noonMs + 100, [[mint(1), buildBurst()]])
    await derived.tick(noonMs + minuteMs, [[mint(1), gap]])
    const lateAtMs = noonMs + 2 * hourMs
    const late = { trades: 2, volumeRaw: 3_500_000_000n, state: 'late' } as const
    await derived.tick(lateAtMs, [[mint(1), buildTradeGap({ ...gap.data, ...late, toAtMs: noonMs })]])
    await derived.tick(lateAtMs + 1000)
    await tables.project(derived)
    // One object answers queries for all data times (cuts). If it cached that an early cut has no gap in the
    // trades, a later cut would lack the gap.
    const { queries } = tables
    const burstAt = async (atMs: number) =>
      (await queries.burstsLive(await tables.cutAt(atMs), { minutes: 240 }))[0]?.gaps
    expect(await burstAt(noonMs + 100)).to.equal(null)
    expect(await burstAt(noonMs + minuteMs - 1)).to.equal(null)
    const open = { trades: null, volume: 1.5, knownAtMs: noonMs + minuteMs }
    expect(await burstAt(noonMs + minuteMs)).to.deep.equal(open)
    expect(await burstAt(lateAtMs)).to.deep.equal({ trades: 2, volume: 3.5, knownAtMs: lateAtMs })
    expect(await burstAt(lateAtMs - 1), 'an older cut').to.deep.equal(open)
    const counts = async (atMs: number) => tables.queries.gapCounts(await tables.cutAt(atMs))
    expect(await counts(noonMs + 100)).to.deep.equal({ open: 0, givenUp: 0, late: 0, unchecked: 0 })
    expect(await counts(noonMs + minuteMs)).to.deep.equal({ open: 1, givenUp: 0, late: 0, unchecked: 0 })
    expect(await counts(lateAtMs)).to.deep.equal({ open: 0, givenUp: 0, late: 1, unchecked: 0 })
  })

  it('are added up, unknown if one of them is, those of other mints aside', async () => {
    const derived = await createChainBLog()
    const known = (number: number, trades: number | null, lamports: bigint) =>
      buildTradeGap({ txHash: signature(number), trades, volumeRaw: lamports, state: 'late' })
    await derived.tick(noonMs + 100, [
      ...[1, 2, 3].map((number) => [mint(number), buildBurst()] as const),
      ...[known(1, 2, 10n ** 9n), known(2, 3, 5n * 10n ** 8n)].map((gap) => [mint(1), gap] as const),
      ...[known(1, 2, 10n ** 9n), known(2, null, 1n), known(3, 0, 0n)].map((gap) => [mint(2), gap] as const),
      [mint(3), known(4, 0, 0n)],
    ])
    await derived.tick(noonMs + 101)
    await tables.project(derived)
    const rows = await tables.queries.burstsLive(await tables.cutAt(noonMs + 100), { minutes: 60 })
    expect(Object.fromEntries(rows.map((row) => [row.mint, row.gaps]))).to.deep.equal({
      [mint(1)]: { trades: 5, volume: 1.5, knownAtMs: noonMs + 100 },
      [mint(2)]: { trades: null, volume: 1.000000001, knownAtMs: noonMs + 100 },
      [mint(3)]: null,
    })
  })

  it('flag an outcome once it is scored, up to its end', async () => {
    // The signal is at 12:00, the gap from 12:10 to 12:11, and the score at 12:20. The curve of mint 2 is
    // complete at 12:05, before the gap.
    const derived = await createChainBLog()
    const [fromAtMs, toAtMs] = [noonMs + 10 * minuteMs, noonMs + 11 * minuteMs]
    const gap = buildTradeGap({ atMs: toAtMs, fromAtMs, toAtMs })
    const completed = { completedAtMs: noonMs + 5 * minuteMs, gradRet: 1, ret20m: null }
    await derived.tick(
      toAtMs,
      [1, 2].flatMap((number) => [[mint(number), buildBurst()] as const, [mint(number), gap]]),
    )
    await derived.tick(noonMs + 20 * minuteMs, [
      [mint(1), buildOutcome()],
      [mint(2), buildOutcome(completed)],
    ])
    await derived.tick(noonMs + 21 * minuteMs)
    await tables.project(derived)
    const flagged = async (atMs: number) =>
      (await tables.queries.burstsLive(await tables.cutAt(atMs), { minutes: 60 }))
        .filter(({ gaps }) => gaps !== null)
        .map((row) => row.mint)
    expect(await flagged(toAtMs)).to.deep.equal([])
    expect(await flagged(noonMs + 20 * minuteMs)).to.deep.equal([mint(1)])
  })

  it('flag a graduation from its path and burst on to fifteen minutes after its pool opened', async () => {
    const at = (minute: number) => noonMs + minute * minuteMs
    const burstAt = (minute: number) => ({ atMs: at(minute), inflowLamports: 10n ** 10n, fillAt: 0.45 })
    const flaggedBy = async (minute: number, fields: Partial<Graduation> = {}) => {
      const derived = await createChainBLog()
      await derived.tick(at(30), [
        [mint(1), buildGraduation({ burst: burstAt(-1), launchAtMs: at(-300), ...fields })],
        [mint(1), buildPost({ gradAtMs: noonMs, anchorAtMs: at(1) })],
        [mint(1), buildTradeGap({ atMs: at(minute), fromAtMs: at(minute), toAtMs: at(minute) })],
      ])
      await derived.tick(at(30) + 1)
      await tables.empty()
      await tables.project(derived)
      const cut = await tables.newestCut()
      const [live] = await tables.queries.graduationsLive(cut, { minutes: 60 })
      const { graduations } = await tables.queries.graduationsHistory(cut, { hours: 1, limit: 1 })
      expect(graduations).to.deep.equal([live])
      return live?.gaps !== null
    }
    const flags: Record<number, boolean> = {}
    for (const minute of [-3, -2, 0, 16, 17]) flags[minute] = await flaggedBy(minute)
    expect(flags).to.deep.equal({ [-3]: false, [-2]: true, 0: true, 16: true, 17: false })
    const early = { burst: burstAt(-100) }
    expect([await flaggedBy(-101, early), await flaggedBy(-100, early)], 'its burst').to.deep.equal([false, true])
    const [none, found] = [{ burst: null }, { burst: null, launchAtMs: null }]
    expect([await flaggedBy(-301, none), await flaggedBy(-299, none)], 'since the launch').to.deep.equal([false, true])
    expect([await flaggedBy(-3, found), await flaggedBy(-2, found)], 'no launch').to.deep.equal([false, true])
  })

  it('flag a followed buy in the hour after it, as of the list', async () => {
    const derived = await createChainBLog()
    const atMs = noonMs - 90 * minuteMs
    const buys = [0, 61].map((minute, index) => ({ atMs: atMs - minute * minuteMs, txHash: signature(index) }))
    await derived.tick(
      atMs,
      buys.map((buy) => [mint(1), buildCopyOpened(buy)] as const),
    )
    await derived.tick(atMs + 1000, [[mint(1), buildTradeGap({ atMs, fromAtMs: atMs, toAtMs: atMs })]])
    for (const hours of [0, 1, 2, 3]) await derived.tick(noonMs + hours * hourMs)
    await tables.project(derived)
    const stats = await tables.queries.copyStats(await tables.newestCut(), base58OfHex(wallet(1)))
    expect(stats?.buys.map(({ gaps }) => gaps)).to.deep.equal([
      { trades: null, volume: 1.5, knownAtMs: atMs + 1000 },
      null,
    ])
  })

  it('are counted of each leader: the buys in whose hour they are, as the list knew them', async () => {
    // All buys are at 09:00, each of another mint, and their hour ends at 10:00. The gap of mint 1 ends
    // before the buy, the gap of mint 2 ends at it. The gap of mint 3 begins at 10:00, the gap of mint 4
    // begins 1 ms later.
    const derived = await createChainBLog()
    const atMs = noonMs - 3 * hourMs
    const [first, second] = [wallet(1), wallet(2)]
    const closedBy = (by: typeof first, from: number) =>
      [1, 2, 3, 4, 5].map(
        (number) => [mint(number), buildCopyClosed({ atMs, wallet: by, txHash: signature(from + number) })] as const,
      )
    const gapOf = (number: number, [fromAtMs, toAtMs]: readonly [number, number], fields = {}) =>
      [mint(number), buildTradeGap({ atMs: toAtMs, fromAtMs, toAtMs, ...fields })] as const
    await derived.tick(noonMs)
    await derived.tick(noonMs + 1, [
      ...closedBy(first, 0),
      ...closedBy(second, 10).slice(0, 4),
      ...closedBy(second, 20).slice(1, 2),
      gapOf(1, [atMs - 9, atMs - 1]),
      gapOf(2, [atMs - 9, atMs]),
      gapOf(2, [atMs - 5, atMs], { txHash: signature(8) }),
      gapOf(3, [atMs + hourMs, atMs + hourMs + 9]),
      gapOf(4, [atMs + hourMs + 1, atMs + hourMs + 9]),
      gapOf(5, [atMs + 1, atMs + 1], { trades: 0 }),
    ])
    await derived.tick(noonMs + 2, [gapOf(5, [atMs + 1, atMs + 1])])
    await derived.tick(noonMs + hourMs + 1)
    await derived.tick(noonMs + hourMs + 2)
    await tables.project(derived)
    const { queries } = tables
    const countsAt = async (cutMs: number) => {
      const list = (await queries.leaderList(await tables.cutAt(cutMs))) ?? expect.fail('there is a list')
      return Object.fromEntries(list.leaders.map((row) => [row.wallet, row.gapBuys]))
    }
    const ofNoon = { [base58OfHex(first)]: 2, [base58OfHex(second)]: 3 }
    expect(await countsAt(noonMs + 1)).to.deep.equal(ofNoon)
    expect(await countsAt(noonMs + 1000), 'until the next list').to.deep.equal(ofNoon)
    expect(await countsAt(noonMs + hourMs + 1)).to.deep.equal({ ...ofNoon, [base58OfHex(first)]: 3 })
  })

  it('are counted beside the pools of the last day, whose trades are not checked', async () => {
    const derived = await createChainBLog()
    const instants = [noonMs - dayMs, noonMs - dayMs + 1, noonMs]
    await derived.tick(
      noonMs,
      instants.map((gradAtMs, index) => [mint(index), buildGraduation({ gradAtMs })] as const),
    )
    await derived.tick(noonMs + 1)
    await tables.project(derived)
    expect(await tables.queries.gapCounts(await tables.cutAt(noonMs))).to.include({ unchecked: 2 })
  })

  it('flag a followed buy by what its fields are made of before it', async () => {
    const buyAtMs = noonMs - 90 * minuteMs
    const flaggedBy = async (minute: number, { opened = {}, closed = {}, firstMinute = 0 }) => {
      const derived = await createChainBLog()
      const atMs = buyAtMs + minute * minuteMs
      const first = { atMs: buyAtMs + firstMinute * minuteMs, txHash: signature(5) }
      await derived.tick(buyAtMs, [
        ...(firstMinute < 0 ? [[mint(1), buildCopyOpened(first)] as const] : []),
        [mint(1), buildCopyOpened({ atMs: buyAtMs, ...opened })],
        [mint(1), buildTradeGap({ atMs, fromAtMs: atMs, toAtMs: atMs })],
      ])
      await derived.tick(buyAtMs + hourMs, [[mint(1), buildCopyClosed({ atMs: buyAtMs, ...closed })]])
      for (const hours of [0, 1, 2]) await derived.tick(noonMs + hours * hourMs)
      await tables.empty()
      await tables.project(derived)
      const stats = await tables.queries.copyStats(await tables.newestCut(), base58OfHex(wallet(1)))
      return stats?.buys[0]?.gaps !== null
    }
    const kept = { closed: { leaderSale: null } }
    const sold = { closed: { leaderSale: { afterSec: 60, share: 1, gain: 0 } } }
    expect(await flaggedBy(-1, kept)).to.equal(false)
    expect([await flaggedBy(-61, sold), await flaggedBy(-60, sold)], 'what it held').to.deep.equal([false, true])
    const twice = { ...sold, firstMinute: -30 }
    expect([await flaggedBy(-91, twice), await flaggedBy(-90, twice)], 'of two buys').to.deep.equal([false, true])
    const inPool = { ...kept, opened: { fillAt: 1 } }
    expect([await flaggedBy(-5, inPool), await flaggedBy(-4, inPool)], 'in the pool').to.deep.equal([false, true])
  })

  it('leave every answer when a reorg withdraws them, and are as they are told again', async () => {
    const derived = await createChainBLog()
    await derived.tick(noonMs + 100, [
      [mint(1), buildBurst()],
      [mint(1), buildTradeGap()],
    ])
    await derived.tick(noonMs + 200, [[mint(1), buildWithdrawn(gapRow)]], { revertedFrom: 7 })
    await derived.tick(noonMs + 300, [
      [mint(1), buildRestated(gapRow)],
      [mint(1), buildTradeGap({ volumeRaw: 1n })],
    ])
    await derived.tick(noonMs + 400)
    await tables.project(derived)
    expect(await burstAt(noonMs + 100)).to.include({ volume: 1.5 })
    expect(await burstAt(noonMs + 200)).to.equal(null)
    expect(await burstAt(noonMs + 300)).to.deep.equal({ trades: null, volume: 1e-9, knownAtMs: noonMs + 300 })
  })

  it('are counted for a day', async () => {
    const derived = await createChainBLog()
    await derived.tick(noonMs, [[mint(1), buildTradeGap({ state: 'given_up' })]])
    for (const laterMs of [dayMs - 1, dayMs, dayMs + 1]) await derived.tick(noonMs + laterMs)
    await tables.project(derived)
    const givenUpAt = async (atMs: number) => (await tables.queries.gapCounts(await tables.cutAt(atMs))).givenUp
    expect(await givenUpAt(noonMs + dayMs - 1)).to.equal(1)
    expect(await givenUpAt(noonMs + dayMs)).to.equal(0)
  })
})
