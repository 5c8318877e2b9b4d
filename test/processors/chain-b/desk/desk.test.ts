/** Tests the desk, which simulates trades on signals, on curves and in the pools to which they migrate. */
import { expect } from 'chai'
import { bursts } from '../../../../processors/chain-b/bursts/processor.ts'
import { desk } from '../../../../processors/chain-b/desk/processor.ts'
import { markets } from '../../../../processors/chain-b/markets/processor.ts'
import { mints } from '../../../../processors/chain-b/mints/processor.ts'
import { createTestDriver } from '../../../../processors/runtime/test-driver.ts'
import type { ChainBDerived } from '../../../../schemas/chain-b/derived.ts'
import { graduatedLifeMs } from '../../../../schemas/chain-b/mint-life.ts'
import { chainBStage } from '../../../../schemas/chain-b/stage.ts'
import type { Tick } from '../../../../schemas/tick.ts'
import { second } from '../../../support/builders/build-facts.ts'
import { buildMention } from '../../../support/builders/build-mentions.ts'
import {
  buildCurveCompleted,
  buildCurveLaunched,
  buildCurveMigrated,
  buildCurveTraded,
  buildPoolTraded,
  given,
  testCurve,
  testMint,
  testPool,
} from '../../../support/chain-b/build-facts.ts'

const processors = [mints, markets, bursts, desk]
const launched = buildCurveLaunched({ blockAtMs: second(0) })
const launchedBefore = buildCurveLaunched({ blockAtMs: second(-5000) })
const trade = (atSec: number, fill: number, sol = 0.1) => buildCurveTraded({ blockAtMs: second(atSec), fill, sol })
/** Buys of 10 SOL within a minute, which make a burst at 410 s. */
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
    // A call is a post about the token. At the time of this post, the mint is about to be closed. The post
    // becomes known too late to keep the mint open.
    const migratedSec = 900 + 1500 - graduatedLifeMs / 1000
    const migrated = buildCurveMigrated({ blockAtMs: second(migratedSec) })
    const opened = given(processors, [launchedBefore, migrated])
      .when(buildPoolTraded({ blockAtMs: second(880) }), call(900, 'x'))
      .wokenAt(second(903))
    expect(ofType(opened.records, 'DeskOpened').map(({ lane, market }) => [lane, market])).to.deep.equal([
      ['call-1', testPool],
    ])
    const closedSec = 900 + 1500
    const closed = opened.wokenAt(second(closedSec))
    expect(tradesIn(closed.records).filter(({ lane }) => lane === 'call-1')).to.deep.equal([
      { lane: 'call-1', exit: 'time', openedAtMs: second(903), closedAtMs: second(closedSec), market: testPool },
    ])
    const [shadow] = ofType(closed.records, 'DeskShadow')
    expect(shadow).to.include({ signal: 'call', ret1: 0, ret15: 0, ret60: null })
    expect(closed.wokenAt(second(900) + 48.25 * 3_600_000).driver.counts(), 'once the call is over').to.deep.equal({
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

  const knownAt = (knownSec: number, fields: Partial<Tick> = {}) => {
    const driver = createTestDriver({ stage: chainBStage, processors })
    for (const fact of [launched, ...burst, trade(412, 0.33)]) driver.fact(testMint, fact)
    driver.tick(second(412), { knownAtMs: second(knownSec), ...fields })
    driver.fact(testMint, trade(knownSec + 2, 0.34))
    return [...driver.tick(second(knownSec + 4)), ...driver.tick(second(knownSec + 9))].map(({ record }) => record)
  }

  it('fills a burst three seconds after the tick was known that told of it, not in its past', () => {
    for (const knownSec of [412, 450, 530]) {
      const opened = ofType(knownAt(knownSec), 'DeskOpened')
      expect(opened.map(({ signalAtMs, openedAtMs }) => [signalAtMs, openedAtMs])).to.deep.equal(
        Array.from({ length: 2 }, () => [second(410), second(knownSec + 3)]),
      )
    }
  })

  it('lets go of a burst that was known more than two minutes after it', () => {
    expect(ofType(knownAt(530), 'DeskOpened')).to.have.lengthOf(2)
    expect(knownAt(530, { knownAtMs: second(530) + 1 }).filter(({ type }) => type.startsWith('Desk'))).to.deep.equal([])
  })

  it('fills a burst after the newest block of its tick, where the clock is behind the chain', () => {
    const driver = createTestDriver({ stage: chainBStage, processors })
    for (const fact of [launched, ...burst, trade(440, 0.33)]) driver.fact(testMint, fact)
    driver.tick(second(440), { knownAtMs: second(411) })
    const records = driver.tick(second(450)).map(({ record }) => record)
    expect(ofType(records, 'DeskOpened').map(({ openedAtMs }) => openedAtMs)).to.deep.equal([second(443), second(443)])
  })

  it('fills a call that becomes known late when it is known, up to two minutes', () => {
    // The post is from 450 s, and the price changes at 460 s. The post becomes known at `knownSec`, when
    // there is another trade.
    const late = (knownSec: number) => {
      const told = { ...call(450, 'x').data, answeredAtMs: second(knownSec), seenAtMs: second(knownSec) }
      return given(processors, [launched, trade(400, 0.31)])
        .when(trade(460, 0.1))
        .when(trade(knownSec, 0.12), { type: 'Mentioned', data: told })
        .wokenAt(second(knownSec + 3))
    }
    const known = late(570)
    expect(ofType(known.records, 'DeskOpened').map(({ openedAtMs }) => openedAtMs)).to.deep.equal([second(573)])
    expect(tradesIn(known.when(trade(580, 0.6)).records)).to.deep.equal([
      { lane: 'call-1', exit: 'take_profit', openedAtMs: second(573), closedAtMs: second(580), market: testCurve },
    ])
    expect(ofType(late(571).records, 'DeskOpened')).to.deep.equal([])
  })

  it('takes nothing of a call of a mint that it does not know', () => {
    const driver = given(processors, []).when(call(10, 'x')).wokenAt(second(20))
    expect(driver.records).to.deep.equal([])
  })
})
