import { expect } from 'chai'
import { markets } from '../../../../processors/chain-b/markets/processor.ts'
import { mints } from '../../../../processors/chain-b/mints/processor.ts'
import { minutes } from '../../../../processors/chain-b/minutes/processor.ts'
import type { ChainBContext } from '../../../../processors/chain-b/processor.ts'
import type { ChainBFact } from '../../../../schemas/chain-b/facts.ts'
import { second } from '../../../support/builders/build-facts.ts'
import {
  buildCurveCompleted,
  buildCurveFound,
  buildCurveLaunched,
  buildCurveMigrated,
  buildCurveTraded,
  buildKey,
  buildPoolTraded,
  given,
  lamports,
  late,
  testCurve,
} from '../../../support/chain-b/build-facts.ts'

const launched = buildCurveLaunched({ blockAtMs: second(0) })
const trade = (atSec: number, sol: number, fill = 0.4) => buildCurveTraded({ blockAtMs: second(atSec), sol, fill })

const recordsOf = (...facts: readonly ChainBFact[]) =>
  given([mints, markets, minutes], [launched]).when(...facts).records
const minutesOf = (...facts: readonly ChainBFact[]) =>
  recordsOf(...facts).flatMap((record) => (record.type === 'MintMinute' ? [record.data] : []))

/** The start of the minute in seconds, and the trades in it, such as `60: 2 buys, 1 sell`. */
const namesOf = (...facts: readonly ChainBFact[]) =>
  minutesOf(...facts).map(({ minuteAtMs, buys, sells }) => `${(minuteAtMs - second(0)) / 1000}: ${buys} + ${sells}`)

describe('the minutes of a mint', () => {
  //   seconds   0         60                 120       180
  //   facts     launch     +3   -1   +2      |         +1
  //   published                              60        (at the next slot)
  it('have the trades of the minute and the state after its last trade', () => {
    const [minute, ...others] = minutesOf(trade(60, 3), trade(80, -1, 0.3), trade(119, 2, 0.5), trade(181, 1))
    expect(others).to.deep.equal([])
    expect({ ...minute, lastPx: 0 }).to.deep.equal({
      ...{ minuteAtMs: second(60), buyLamports: lamports(5), sellLamports: lamports(1), buys: 2, sells: 1 },
      ...{ lastPx: 0, fill: 0.5 },
    })
    const { virtualQuoteRaw, virtualTokenRaw } = trade(119, 2, 0.5).data
    expect(minute?.lastPx).to.equal(Number(virtualQuoteRaw) / 1e9 / Number(virtualTokenRaw))
  })

  it('are published with the first slot after the minute, one record for each minute with trades', () => {
    expect(namesOf(trade(60, 1), trade(119, 1))).to.deep.equal([])
    expect(namesOf(trade(60, 1), trade(120, 1))).to.deep.equal(['60: 1 + 0'])
    expect(namesOf(trade(60, 1), trade(300, -1), trade(360, 1))).to.deep.equal(['60: 1 + 0', '300: 0 + 1'])
  })

  it('go on in the pool, which has no fill, without the rest of the buy that completed the curve', () => {
    const facts = [
      trade(60, 1, 0.99),
      buildCurveCompleted({ blockAtMs: second(61) }),
      buildPoolTraded({ blockAtMs: second(62), isBeforeMigration: true }),
      buildCurveMigrated({ blockAtMs: second(63) }),
      buildPoolTraded({ blockAtMs: second(64), quoteRaw: -lamports(2) }),
      // The curve has no price any more.
      trade(65, 1),
      buildPoolTraded({ blockAtMs: second(130), quoteRaw: lamports(3) }),
    ]
    expect(minutesOf(...facts, buildPoolTraded({ blockAtMs: second(180) }))).to.deep.equal([
      {
        ...{ minuteAtMs: second(60), buyLamports: lamports(1), sellLamports: lamports(2), buys: 1, sells: 1 },
        ...{ lastPx: 84.990359301 / 206_900_000_000_000, fill: null },
      },
      {
        ...{ minuteAtMs: second(120), buyLamports: lamports(3), sellLamports: 0n, buys: 1, sells: 0 },
        ...{ lastPx: 84.990359301 / 206_900_000_000_000, fill: null },
      },
    ])
  })

  it('leave out late trades, and tokens that are not tracked or not traded against SOL', () => {
    expect(namesOf(trade(60, 1), late(trade(61, 1)), trade(120, 1))).to.deep.equal(['60: 1 + 0'])
    const unknown = given([mints, markets, minutes], []).when(trade(60, 1), trade(120, 1)).records
    expect(unknown).to.deep.equal([])
    const other = buildCurveLaunched({ blockAtMs: second(0), quoteMint: buildKey(1) })
    expect(given([mints, markets, minutes], [other]).when(trade(60, 1), trade(120, 1)).records).to.deep.equal([])
  })

  it('begin anew when the curve is found', () => {
    const found = buildCurveFound({ blockAtMs: second(70) })
    expect(namesOf(trade(60, 1), found, trade(71, 2), trade(120, 1))).to.deep.equal(['60: 1 + 0'])
    expect(minutesOf(trade(60, 1), found, trade(71, 2), trade(120, 1))[0]?.buyLamports).to.equal(lamports(2))
    expect(namesOf(trade(60, 1), found, trade(120, 1))).to.deep.equal([])
  })

  it('end with the minute, also if the mint is closed by then', () => {
    const days = 24 * 3600
    const facts = [trade(60, 1), buildCurveLaunched({ blockAtMs: second(2 * days) })]
    expect(recordsOf(...facts).map(({ type }) => type)).to.deep.equal(['MintMinute', 'MintClosed', 'MintOpened'])
  })

  it('take no memory between two minutes with trades', () => {
    const state = minutes.initialState()
    const waits: number[] = []
    const context = { wakeAt: (atMs: number) => waits.push(atMs), emit: () => {} } as unknown as ChainBContext
    expect(minutes.isEmpty(state)).to.equal(true)
    minutes.onMove?.(state, { type: 'price', market: testCurve, atMs: second(61), px: 1, fact: trade(61, 1) }, context)
    expect(minutes.isEmpty(state)).to.equal(false)
    expect(waits).to.deep.equal([second(120) - 1])
    minutes.onWake?.(state, second(120) - 1, context)
    expect(minutes.isEmpty(state)).to.equal(true)
  })
})
