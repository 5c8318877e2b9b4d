/** Tests the field `gaps` of calls. It says that trades in the time of the call are missing from the log. */
import { expect } from 'chai'
import type { CallsQueries } from '../../projections/calls/queries/calls-queries.ts'
import type { Call } from '../../schemas/calls/derived.ts'
import {
  buildCall,
  buildPrecall,
  buildScored,
  type CallsLog,
  createCallsLog,
  withdrawnOnA,
} from '../projections/calls/derived-log.ts'
import { buildTradeGap as gapOnB, mint } from '../projections/chain-b/derived-log.ts'
import { address, buildTradeGap, noonMs } from '../projections/derived-log.ts'
import { callsCutAt, callsQueriesOf } from './projections-of-calls.ts'
import { dayMs, hourMs, minuteMs, type Tables } from './projections-tables.ts'

type Spans = Readonly<Record<string, readonly [fromMs: number, toMs: number]>>

const anchorAt = (atMs: number, fields: Partial<NonNullable<Call['anchor']>> = {}): Call['anchor'] => ({
  ...{ atMs, px: 1e-21, mcapUsd: null, mcapCoin: null, source: 'pool', market: address(9), isAsked: false },
  ...fields,
})

const gapOf = (token: string, [fromAtMs, toAtMs]: readonly [number, number], fields = {}) =>
  [token, buildTradeGap({ atMs: toAtMs, fromAtMs, toAtMs, ...fields })] as const

/**
 * Returns one gap in the recorded trades for each time span. Each gap belongs to another token, numbered in
 * the order of the spans.
 */
const gapsOf = (spans: Spans) => Object.values(spans).map((span, index) => gapOf(address(index + 1), span))

export function callGapAnswers(tables: Tables): void {
  const written = async (write: (derived: CallsLog) => Promise<void>): Promise<CallsQueries> => {
    const derived = await createCallsLog()
    await write(derived)
    await tables.project(derived)
    return callsQueriesOf(tables)
  }
  const cutAt = (atMs: number) => callsCutAt(tables, atMs)
  const inNames = (spans: Spans, touched: ReadonlyMap<string, boolean>) =>
    Object.keys(spans).filter((_, index) => touched.get(address(index + 1)))

  it('flags a live call by what is missing after its anchor, up to its last sample', async () => {
    //   post 12:00:00    anchor 12:00:03                     last sample 12:10:00
    //                         (                                        ]
    const [anchorMs, sampleMs] = [noonMs + 3000, noonMs + 10 * minuteMs]
    const spans: Spans = {
      'ends at the anchor': [anchorMs - 9, anchorMs],
      'ends behind it': [anchorMs - 9, anchorMs + 1],
      'in between': [noonMs + minuteMs, noonMs + minuteMs],
      'begins at the sample': [sampleMs, sampleMs + 9],
      'begins behind it': [sampleMs + 1, sampleMs + 9],
    }
    const call = buildCall({ anchor: anchorAt(anchorMs), lastSampleAtMs: sampleMs })
    const knownMs = sampleMs + 20_000
    const queries = await written(async (derived) => {
      await derived.tick(knownMs - 1, {
        a: Object.keys(spans).map((_, index) => [address(index + 1), call]),
        b: [[mint(1), call]],
      })
      const onB = { atMs: sampleMs, fromAtMs: anchorMs, toAtMs: sampleMs, trades: 2, volumeRaw: 3_500_000_000n }
      await derived.tick(knownMs, { a: gapsOf(spans), b: [[mint(1), gapOnB(onB)]] })
      const { pool: _, ...row } = buildTradeGap().data
      const name = `${row.txHash} ${row.logIndex}`
      const gone = withdrawnOnA('TradeGap', noonMs + minuteMs, name)
      await derived.tick(knownMs + 1, {
        a: [[address(3), { ...gone, data: { ...gone.data, pool: buildTradeGap().data.pool } }]],
      })
      await derived.tick(knownMs + 2)
    })
    const liveAt = async (atMs: number) => {
      const rows = await queries.live(await cutAt(atMs), { minutes: 30, chain: null })
      expect(rows).to.have.length(6)
      return { rows, touched: inNames(spans, new Map(rows.map(({ token, gaps }) => [token, gaps !== null]))) }
    }
    expect((await liveAt(knownMs - 1)).touched, 'not known yet').to.deep.equal([])
    const { rows, touched } = await liveAt(knownMs)
    expect(touched).to.deep.equal(['ends behind it', 'in between', 'begins at the sample'])
    expect(rows.find(({ token }) => token === address(3))?.gaps).to.deep.equal({
      ...{ trades: null, volume: 0.5, knownAtMs: knownMs },
    })
    expect(rows.find(({ token }) => token === mint(1))?.gaps).to.deep.equal({
      ...{ trades: 2, volume: 3.5, knownAtMs: knownMs },
    })
    expect((await liveAt(knownMs + 1)).touched, 'withdrawn').to.deep.equal(['ends behind it', 'begins at the sample'])
  })

  it('does not flag a call whose prices are not those of the log', async () => {
    const [anchorMs, lastSampleAtMs] = [noonMs + 3000, noonMs + 10 * minuteMs]
    const calls: Readonly<Record<string, Partial<Call>>> = {
      'of the log': { anchor: anchorAt(anchorMs), lastSampleAtMs },
      'asked for at the node': { anchor: anchorAt(anchorMs, { isAsked: true }), lastSampleAtMs },
      'of an aggregator': { anchor: anchorAt(anchorMs, { source: 'aggregator', market: null }), lastSampleAtMs },
      'without a price': { anchor: null, lastSampleAtMs },
      'not sampled yet': { anchor: anchorAt(anchorMs), lastSampleAtMs: null },
    }
    const atMs = noonMs + 11 * minuteMs
    const queries = await written(async (derived) => {
      await derived.tick(atMs, {
        a: Object.values(calls).flatMap((fields, index) => [
          [address(index + 1), buildCall(fields)] as const,
          gapOf(address(index + 1), [noonMs, lastSampleAtMs]),
        ]),
      })
      await derived.tick(atMs + 1)
    })
    const rows = await queries.live(await cutAt(atMs), { minutes: 30, chain: null })
    const flagged = Object.keys(calls).filter((_, index) =>
      rows.some(({ token, gaps }) => token === address(index + 1) && gaps !== null),
    )
    expect(flagged).to.deep.equal(['of the log'])
  })

  it('flags an outcome up to the instant that it tells of, as it was known to the edition', async () => {
    // The outcome covers the time after the anchor (the time of the first price) at 09:00:03, up to 12:00:00
    // inclusive. The first four gaps become known at 12:00:40, before the version of the answer of 12:01:00.
    // The last gap becomes known at 12:02:00.
    const anchorMs = noonMs - 3 * hourMs + 3000
    const spans: Spans = {
      'ends at the anchor': [anchorMs - 9, anchorMs],
      'ends behind it': [anchorMs - 9, anchorMs + 1],
      'begins at the instant': [noonMs, noonMs + 30_000],
      'begins behind it': [noonMs + 1, noonMs + 30_000],
      'known later': [noonMs - 5, noonMs],
    }
    const call = buildCall({ calledAtMs: noonMs - 3 * hourMs, anchor: anchorAt(anchorMs), lastSampleAtMs: anchorMs })
    const queries = await written(async (derived) => {
      await derived.tick(noonMs - hourMs, { a: Object.keys(spans).map((_, index) => [address(index + 1), call]) })
      await derived.tick(noonMs)
      await derived.tick(noonMs + 2000)
      await derived.tick(noonMs + 40_000, { a: gapsOf(spans).slice(0, 4) })
      await derived.tick(noonMs + minuteMs)
      await derived.tick(noonMs + 2 * minuteMs, { a: gapsOf(spans).slice(4) })
      for (const laterMs of [hourMs, hourMs + minuteMs, hourMs + 2 * minuteMs]) await derived.tick(noonMs + laterMs + 1)
    })
    const touchedAt = async (atMs: number) => {
      const found = await queries.outcomes(await cutAt(atMs), { hours: 5, chain: 'chain-a', limit: 100 })
      expect(found?.calls).to.have.length(5)
      return inNames(spans, new Map(found?.calls.map(({ token, gaps }) => [token, gaps !== null])))
    }
    const ofNoon = ['ends behind it', 'begins at the instant']
    expect(await touchedAt(noonMs + minuteMs)).to.deep.equal(ofNoon)
    expect(await touchedAt(noonMs + 3 * minuteMs), 'of the same edition').to.deep.equal(ofNoon)
    expect(await touchedAt(noonMs + hourMs + 2 * minuteMs), 'of the next').to.deep.equal([
      ...ofNoon,
      ...['begins behind it', 'known later'],
    ])
  })

  it('flags an outcome to the end of its watch', async () => {
    const calledAtMs = noonMs - 2 * dayMs - 10 * minuteMs
    const endMs = calledAtMs + 2 * dayMs
    const spans: Spans = { 'begins at the end': [endMs, endMs + 9], 'begins behind it': [endMs + 1, endMs + 9] }
    const call = buildCall({ calledAtMs, anchor: anchorAt(calledAtMs + 3000) })
    const queries = await written(async (derived) => {
      await derived.tick(noonMs - hourMs, { a: [1, 2].map((number) => [address(number), call]) })
      await derived.tick(noonMs, { a: gapsOf(spans) })
      for (const laterMs of [2000, minuteMs, 2 * minuteMs]) await derived.tick(noonMs + laterMs)
    })
    const found = await queries.outcomes(await cutAt(noonMs + minuteMs), { hours: 48, chain: null, limit: 100 })
    expect(inNames(spans, new Map(found?.calls.map(({ token, gaps }) => [token, gaps !== null])))).to.deep.equal([
      'begins at the end',
    ])
  })

  it('flags what came before a call by what is missing in the hour before the post', async () => {
    const spans: Spans = {
      'ends an hour before': [noonMs - 2 * hourMs, noonMs - hourMs],
      'ends later': [noonMs - 2 * hourMs, noonMs - hourMs + 1],
      'begins at the post': [noonMs, noonMs + 9],
      'begins behind it': [noonMs + 1, noonMs + 9],
      'not tracked': [noonMs - minuteMs, noonMs - minuteMs],
    }
    const queries = await written(async (derived) => {
      await derived.tick(noonMs + 1000, {
        a: Object.keys(spans).map((name, index) => [
          address(index + 1),
          buildPrecall({ isTracked: name !== 'not tracked' }),
        ]),
      })
      await derived.tick(noonMs + 2000, { a: gapsOf(spans) })
      await derived.tick(noonMs + 3000)
    })
    const touchedAt = async (atMs: number) => {
      const cut = await cutAt(atMs)
      const found = await Promise.all(
        Object.keys(spans).map(async (_, index) => {
          const row = (await queries.precall(cut, address(index + 1))) ?? expect.fail('it is told')
          return [row.token, row.gaps !== null] as const
        }),
      )
      return inNames(spans, new Map(found))
    }
    expect(await touchedAt(noonMs + 1000)).to.deep.equal([])
    expect(await touchedAt(noonMs + 2000)).to.deep.equal(['ends later', 'begins at the post'])
    expect((await queries.precall(await cutAt(noonMs + 2000), address(2)))?.gaps).to.deep.equal({
      ...{ trades: null, volume: 0.5, knownAtMs: noonMs + 2000 },
    })
  })

  it('counts of each caller the calls in whose hour trades are missing, and all of them', async () => {
    const postedAtMs = noonMs - 5 * hourMs
    const anchorAtMs = postedAtMs + 90_000
    const endMs = anchorAtMs + hourMs
    const scored = (post: number, fields = {}) => buildScored({ poster: '1', post, postedAtMs, anchorAtMs, ...fields })
    const spans: Spans = {
      'ends at the anchor': [anchorAtMs - 9, anchorAtMs],
      'ends behind it': [anchorAtMs - 9, anchorAtMs + 1],
      'begins at the end': [endMs, endMs + 9],
      'begins behind it': [endMs + 1, endMs + 9],
    }
    const inHour = [anchorAtMs + 5, anchorAtMs + 6] as const
    const later = { postedAtMs: postedAtMs + 2 * hourMs, anchorAtMs: anchorAtMs + 2 * hourMs }
    const queries = await written(async (derived) => {
      await derived.tick(noonMs - hourMs, {
        a: [
          ...Object.keys(spans).map((_, index) => [address(index + 1), scored(index)] as const),
          ...gapsOf(spans),
          [address(10), scored(10, { poster: '2', isAsked: true })],
          gapOf(address(10), inHour),
          [address(11), scored(11, { poster: '2' })],
          gapOf(address(11), inHour, { trades: 0, volumeRaw: 0n }),
          // Only the first post about a token counts.
          [address(12), scored(12, { poster: '2' })],
          [address(12), scored(13, { poster: '2', ...later })],
          gapOf(address(12), [later.anchorAtMs + 5, later.anchorAtMs + 6]),
          // Each of two callers has two gaps in one call.
          ...['3', '4'].map((poster, index) => [address(14), scored(14 + index, { poster })] as const),
          gapOf(address(14), inHour),
          gapOf(address(14), [anchorAtMs + 7, anchorAtMs + 8]),
        ],
        b: [
          [mint(1), scored(20, { poster: '3' })],
          [mint(1), gapOnB({ atMs: inHour[1], fromAtMs: inHour[0], toAtMs: inHour[1] })],
          // Without an anchor time, the range of the outcome begins three seconds after the post.
          ...[2, 3].map((number) => [mint(number), scored(20 + number, { poster: '5', anchorAtMs: null })] as const),
          ...(
            [
              [2, postedAtMs + 3000],
              [3, postedAtMs + 3001],
            ] as const
          ).map(([number, toAtMs]) => [mint(number), gapOnB({ atMs: toAtMs, fromAtMs: postedAtMs, toAtMs })] as const),
        ],
      })
      await derived.tick(noonMs)
      await derived.tick(noonMs + minuteMs)
      await derived.tick(noonMs + minuteMs + 1, { a: [gapOf(address(11), inHour)] })
      await derived.tick(noonMs + hourMs + 1)
      await derived.tick(noonMs + hourMs + minuteMs)
      await derived.tick(noonMs + hourMs + minuteMs + 1)
    })
    const boardAt = async (atMs: number) => {
      const board = (await queries.board(await cutAt(atMs), '7d')) ?? expect.fail('there is a board')
      const counts = Object.fromEntries(board.callers.map(({ poster, gapCalls }) => [poster, gapCalls]))
      return { counts, all: board.gapCalls }
    }
    const known = { 1: 2, 2: 0, 3: 2, 4: 1, 5: 1 }
    expect(await boardAt(noonMs + minuteMs)).to.deep.equal({ counts: known, all: 6 })
    expect(await boardAt(noonMs + hourMs + minuteMs), 'known to the next edition').to.deep.equal({
      ...{ counts: { ...known, 2: 1 }, all: 7 },
    })
  })
}
