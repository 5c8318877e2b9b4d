/** The desk on curves and in the pools that follow them. */
import { expect } from 'chai'
import { bursts } from '../../../../processors/chain-b/bursts/processor.ts'
import { desk } from '../../../../processors/chain-b/desk/processor.ts'
import { markets } from '../../../../processors/chain-b/markets/processor.ts'
import { mints } from '../../../../processors/chain-b/mints/processor.ts'
import type { ChainBDerived } from '../../../../schemas/chain-b/derived.ts'
import { graduatedLifeMs } from '../../../../schemas/chain-b/mint-life.ts'
import { second } from '../../../support/build-facts.ts'
import { buildMention } from '../../../support/build-mentions.ts'
import {
  buildCurveCompleted,
  buildCurveLaunched,
  buildCurveMigrated,
  buildCurveTraded,
  buildPoolTraded,
  given,
  testCurve,
  testPool,
} from '../../../support/chain-b/build-facts.ts'

const processors = [mints, markets, bursts, desk]
const launched = buildCurveLaunched({ blockAtMs: second(0) })
const trade = (atSec: number, fill: number, sol = 0.1) => buildCurveTraded({ blockAtMs: second(atSec), fill, sol })
/** Ten SOL in a minute, so a burst at second 410. */
const burst = [trade(400, 0.3, 5), trade(410, 0.32, 5)]
const call = (atSec: number, chat: string) => {
  const atMs = second(atSec)
  return buildMention({ postedAtMs: atMs, seenAtMs: atMs, chat })
}

type DataOf<Type extends ChainBDerived['type']> = Extract<ChainBDerived, { type: Type }>['data']

const ofType = <Type extends 'DeskOpened' | 'DeskTrade' | 'DeskShadow'>(
  records: readonly ChainBDerived[],
  type: Type,
): readonly DataOf<Type>[] => records.flatMap((record) => (record.type === type ? [record.data as DataOf<Type>] : []))

const tradesIn = (records: readonly ChainBDerived[]) =>
  ofType(records, 'DeskTrade').map(({ lane, exit, openedAtMs, closedAtMs, market }) => ({
    ...{ lane, exit, openedAtMs, closedAtMs, market },
  }))

describe('the desk of chain B', () => {
  it('fills a burst three seconds after it, at the price that stands then, and tells of it', () => {
    //  410 burst    412       413 fill     414
    //  0.32         0.33      at 0.33      0.45: more than +50 %
    const filled = given(processors, [launched, ...burst])
      .when(trade(412, 0.33))
      .wokenAt(second(413))
    expect(ofType(filled.records, 'DeskOpened').map(({ lane, openedAtMs }) => [lane, openedAtMs])).to.deep.equal([
      ['burst', second(413)],
      ['burst-early', second(413)],
    ])
    const left = filled.when(trade(414, 0.6))
    expect(tradesIn(left.records)).to.deep.equal([
      { lane: 'burst', exit: 'take_profit', openedAtMs: second(413), closedAtMs: second(414), market: testCurve },
    ])
    const virtual = (fill: number) => {
      const { virtualQuoteRaw, virtualTokenRaw } = trade(0, fill).data
      return Number(virtualQuoteRaw) / Number(virtualTokenRaw)
    }
    const [taken] = ofType(left.records, 'DeskTrade')
    expect(taken?.ret).to.be.closeTo(virtual(0.6) / virtual(0.33) - 1 - 0.025, 1e-9)
  })

  it('leaves a complete curve at its last price, and takes no position on it any more', () => {
    const done = given(processors, [launched, ...burst])
      .wokenAt(second(413))
      .when(buildCurveCompleted({ blockAtMs: second(500) }))
    expect(tradesIn(done.records)).to.deep.equal(
      ['burst', 'burst-early'].map((lane) => ({
        ...{ lane, exit: 'graduated', openedAtMs: second(413), closedAtMs: second(500), market: testCurve },
      })),
    )
    const late = given(processors, [launched, ...burst]).when(buildCurveCompleted({ blockAtMs: second(412) }))
    expect(ofType(late.wokenAt(second(420)).records, 'DeskOpened'), 'complete before the fill').to.deep.equal([])
  })

  it('fills a call in the pool once the curve has migrated, and leaves it when the mint is closed', () => {
    const migratedSec = 500
    const migrated = buildCurveMigrated({ blockAtMs: second(migratedSec) })
    const opened = given(processors, [launched, trade(400, 0.9), migrated])
      .when(buildPoolTraded({ blockAtMs: second(880) }), call(900, 'x'))
      .wokenAt(second(903))
    expect(ofType(opened.records, 'DeskOpened').map(({ lane, market }) => [lane, market])).to.deep.equal([
      ['call-1', testPool],
    ])
    const closedSec = migratedSec + graduatedLifeMs / 1000
    const closed = opened.wokenAt(second(closedSec))
    expect(tradesIn(closed.records).filter(({ lane }) => lane === 'call-1')).to.deep.equal([
      { lane: 'call-1', exit: 'time', openedAtMs: second(903), closedAtMs: second(closedSec), market: testPool },
    ])
    const [shadow] = ofType(closed.records, 'DeskShadow')
    expect(shadow).to.include({ signal: 'call', ret1: 0, ret15: 0, ret60: null })
    expect(closed.wokenAt(second(900) + 48 * 3_600_000).driver.counts(), 'once the call is over').to.deep.equal({
      tokens: 0,
      timers: 0,
    })
  })

  it('takes a call of one chat, and one of two chats, each once', () => {
    const past = [launched, trade(400, 0.3)]
    const first = given(processors, past).when(trade(450, 0.31), call(450, 'x')).wokenAt(second(453))
    expect(ofType(first.records, 'DeskOpened').map(({ lane }) => lane)).to.deep.equal(['call-1'])
    const again = first.when(trade(460, 0.31), call(460, 'x')).wokenAt(second(463))
    expect(ofType(again.records, 'DeskOpened')).to.deep.equal([])
    const second2 = again.when(trade(470, 0.31), call(470, 'y')).wokenAt(second(473))
    expect(ofType(second2.records, 'DeskOpened').map(({ lane }) => lane)).to.deep.equal(['call-2'])
  })

  it('follows a call that becomes known late as if it had been known in time, up to two minutes', () => {
    //  450 post   453 fill at 0.31   460 0.2: a stop       known at 500
    const late = (knownSec: number) =>
      given(processors, [launched, trade(400, 0.31)])
        .when(trade(460, 0.1))
        .when(trade(knownSec, 0.1), call(450, 'x'))
        .wokenAt(second(knownSec + 1))
    const known = late(500)
    expect(tradesIn(known.records)).to.deep.equal([
      { lane: 'call-1', exit: 'stop', openedAtMs: second(453), closedAtMs: second(460), market: testCurve },
    ])
  })

  it('takes nothing of a call of a mint that it does not know', () => {
    const driver = given(processors, []).when(call(10, 'x')).wokenAt(second(20))
    expect(driver.records).to.deep.equal([])
  })
})
