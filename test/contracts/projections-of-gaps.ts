/** Tests how rows of chain A show missing swaps. */
import { expect } from 'chai'
import { createChainAQueries } from '../../projections/chain-a/queries/chain-a.ts'
import {
  address,
  buildBurst,
  buildCurve,
  buildOutcome,
  buildPoolOpened,
  buildTradeGap,
  buildWithdrawn,
  createDerivedLog,
  noonMs,
  poolId,
} from '../projections/derived-log.ts'
import { allBursts, minuteMs, type Tables } from './projections-tables.ts'

const volume = 0.5

export function gapAnswers(tables: Tables): void {
  // Each test has its own queries, because queries cache the result that there is no gap up to a time.
  const queries = () => createChainAQueries({ database: tables.reader })
  const burstsAt = async (atMs: number) => {
    const rows = await queries().burstsLive(await tables.cutAt(atMs), { ...allBursts, minutes: 240 })
    return Object.fromEntries(rows.map((row) => [row.pool, row.gaps]))
  }

  it('flags a burst by the missing swaps of its own pool, in its window, and in its outcome once that is scored', async () => {
    // Pool 1 has a gap from 11:59 to 12:00, which touches the window of its burst. The gap at 12:29 touches
    // the outcome of both bursts. It counts only for pool 2, because it is a gap of that pool.
    const derived = await createDerivedLog()
    const inOutcome = { atMs: noonMs + 29 * minuteMs, toAtMs: noonMs + 29 * minuteMs, fromAtMs: noonMs + 28 * minuteMs }
    await derived.tick(noonMs + 100, [
      [address(1), buildBurst()],
      [address(1), buildBurst({ pool: poolId(2) })],
      [address(1), buildTradeGap()],
    ])
    await derived.tick(inOutcome.atMs, [[address(1), buildTradeGap({ pool: poolId(2), ...inOutcome })]])
    const scoredAtMs = noonMs + 30 * minuteMs
    await derived.tick(scoredAtMs, [[address(1), buildOutcome({ pool: poolId(2) })]])
    const name = `${poolId(0x7a)} 2`
    await derived.tick(scoredAtMs + 100, [[address(1), buildWithdrawn({ recordType: 'TradeGap', tier: null, name })]])
    await derived.tick(scoredAtMs + 200)
    await tables.project(derived)
    const first = { trades: null, volume, knownAtMs: noonMs + 100 }
    expect(await burstsAt(noonMs + 100)).to.deep.equal({ [poolId(1)]: first, [poolId(2)]: null })
    expect(await burstsAt(inOutcome.atMs)).to.deep.equal({ [poolId(1)]: first, [poolId(2)]: null })
    const second = { ...first, knownAtMs: inOutcome.atMs }
    expect(await burstsAt(scoredAtMs)).to.deep.equal({ [poolId(1)]: first, [poolId(2)]: second })
    expect(await burstsAt(scoredAtMs + 100), 'withdrawn').to.deep.equal({ [poolId(1)]: null, [poolId(2)]: second })
    expect(await queries().gapCounts(await tables.cutAt(scoredAtMs))).to.deep.equal({
      ...{ open: 2, givenUp: 0, late: 0 },
      unchecked: 0,
    })
  })

  it('are counted beside the curves of the last day, whose trades are not compared', async () => {
    const derived = await createDerivedLog()
    const opened = [noonMs - 24 * 60 * minuteMs, noonMs - 24 * 60 * minuteMs + 1, noonMs]
    await derived.tick(noonMs, [
      ...opened.map((launchAtMs, index) => [address(index + 1), buildCurve({ launchAtMs })] as const),
      [address(3), buildCurve({ launchAtMs: noonMs, completed: true })],
    ])
    await derived.tick(noonMs + 1)
    await tables.project(derived)
    expect(await queries().gapCounts(await tables.cutAt(noonMs))).to.deep.equal({
      ...{ open: 0, givenUp: 0, late: 0, unchecked: 2 },
    })
  })

  it('flags the minutes of a flow that a gap touches', async () => {
    const derived = await createDerivedLog()
    const gap = { fromAtMs: noonMs + minuteMs - 1, toAtMs: noonMs + 2 * minuteMs, atMs: noonMs + 2 * minuteMs }
    await derived.tick(noonMs + 5 * minuteMs, [
      [address(1), buildPoolOpened()],
      [address(1), buildTradeGap(gap)],
      [address(1), buildTradeGap({ ...gap, pool: poolId(2) })],
    ])
    await derived.tick(noonMs + 5 * minuteMs + 1)
    await tables.project(derived)
    const flow = await queries().poolFlow(await tables.newestCut(), poolId(1))
    const touched = flow?.minutes.filter(({ gaps }) => gaps !== null)
    expect(touched?.map(({ minuteAtMs }) => (minuteAtMs - noonMs) / minuteMs)).to.deep.equal([0, 1, 2])
    expect(touched?.[0]?.gaps).to.deep.equal({ trades: null, volume, knownAtMs: noonMs + 5 * minuteMs })
  })
}
