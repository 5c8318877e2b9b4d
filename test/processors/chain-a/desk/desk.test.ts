/**
 * Tests the desk, which simulates trades on signals, with pools whose liquidity is pulled before or after the
 * desk's buy.
 */
import { expect } from 'chai'
import { bursts } from '../../../../processors/chain-a/bursts/processor.ts'
import { curves } from '../../../../processors/chain-a/curves/processor.ts'
import { desk } from '../../../../processors/chain-a/desk/processor.ts'
import { markets } from '../../../../processors/chain-a/markets/processor.ts'
import { pools } from '../../../../processors/chain-a/pools/processor.ts'
import { createTestDriver } from '../../../../processors/runtime/test-driver.ts'
import type { ChainADerived } from '../../../../schemas/chain-a/derived.ts'
import { type ChainAAnswer, type ChainAFact, isAnswer } from '../../../../schemas/chain-a/facts.ts'
import { chainAStage } from '../../../../schemas/chain-a/stage.ts'
import type { Hex } from '../../../../schemas/units.ts'
import {
  buildHash,
  buildPoolCreated,
  buildSwap,
  second,
  testPool,
  testToken,
} from '../../../support/builders/build-facts.ts'
import { buildMention } from '../../../support/builders/build-mentions.ts'
import { changeByContract } from '../../../support/builders/build-positions.ts'
import { given } from '../../../support/given-chain-a.ts'

const processors = [pools, curves, markets, bursts, desk]
const full = 10n ** 21n
const otherPool = buildHash(0xb1)

const change = (atSec: number, perMille: number, pool: Hex = testPool) =>
  changeByContract({ blockAtMs: second(atSec), pool }, (full * BigInt(perMille)) / 1000n)
const swap = (atSec: number, px = 1) => buildSwap({ blockAtMs: second(atSec), px: px * 1e-9 })
const opened = [buildPoolCreated({ blockAtMs: second(0) }), change(1, 1000)]
const burst = Array.from({ length: 8 }, () => buildSwap({ blockAtMs: second(600), eth: 0.1 }))
const call = (atSec: number) => {
  const atMs = second(atSec)
  return buildMention({ postedAtMs: atMs, seenAtMs: atMs, answeredAtMs: atMs })
}

type OfType<Type extends ChainADerived['type']> = Extract<ChainADerived, { type: Type }>['data']
const ofType = <Type extends ChainADerived['type']>(records: readonly ChainADerived[], type: Type): OfType<Type>[] =>
  records.flatMap((record) => (record.type === type ? [record.data as OfType<Type>] : []))

/** Returns the records at the burst at 600 s, then those of `facts`, and then those until 610 s. */
const afterBurst = (...facts: readonly ChainAFact[]) => {
  const run = given(processors, [...opened, ...burst]).wokenAt(second(600))
  const told = facts.length > 0 ? [run.when(...facts)] : []
  const last = (told.at(-1) ?? run).wokenAt(second(610))
  return [...told.flatMap(({ records }) => records), ...last.records]
}

/** Gives facts and posts to the stage, followed by one tick that closes all of them. */
function inOneTick(tickSec: number, ...events: readonly (ChainAFact | ChainAAnswer)[]) {
  const driver = createTestDriver({ stage: chainAStage, processors })
  for (const event of opened) driver.fact(testToken, event)
  driver.tick(second(590))
  for (const event of events)
    if (isAnswer(event)) driver.answer(testToken, event)
    else driver.fact(testToken, event)
  driver.tick(second(tickSec))
  driver.tick(second(tickSec + 60))
  return driver.outputs().map(({ record }) => record)
}

describe('the desk of chain A', () => {
  it('fills a burst on its pool, and follows it in a shadow', () => {
    const records = afterBurst()
    expect(ofType(records, 'DeskOpened').length).to.be.above(0)
    for (const position of ofType(records, 'DeskOpened'))
      expect(position).to.include({ market: testPool, signalAtMs: second(600), openedAtMs: second(603) })
  })

  const pulls: readonly (readonly [string, readonly ChainAFact[], boolean])[] = [
    ['half of the liquidity goes before the fill', [change(602, -500)], true],
    ['80 % of it go before the fill', [change(602, -800)], false],
    ['all of it goes before the fill', [change(602, -1000)], false],
    ['all of it goes before the fill, and comes back', [change(602, -1000), change(603, 1000)], false],
    ['80 % of it go after the fill', [change(604, -800)], true],
  ]
  for (const [name, facts, isFilled] of pulls)
    it(`${isFilled ? 'fills' : 'does not fill'} a burst if ${name}`, () => {
      const records = afterBurst(...facts)
      expect(ofType(records, 'DeskOpened').length > 0).to.equal(isFilled)
    })

  it('leaves a position by `rug` at the transaction that leaves a fifth of what was there at the fill', () => {
    const trades = ofType(afterBurst(change(602, -500), change(605, -250), change(606, -150)), 'DeskTrade')
    expect(trades.length).to.be.above(0)
    for (const trade of trades) expect(trade).to.include({ exit: 'rug', closedAtMs: second(606) })
  })

  it('does not fill a call that is told of after its pool was pulled', () => {
    const isFilled = (...facts: readonly ChainAFact[]) =>
      ofType(inOneTick(640, swap(595), call(600), ...facts, swap(630)), 'DeskOpened').length > 0
    expect(isFilled()).to.equal(true)
    expect(isFilled(change(620, -700))).to.equal(true)
    expect(isFilled(change(620, -900))).to.equal(false)
    expect(isFilled(change(620, -1000))).to.equal(false)
    expect(ofType(inOneTick(640, change(595, -900), swap(596), call(600)), 'DeskOpened').length).to.be.above(0)
  })

  it('fills a call on the deepest pool that has liquidity, and on none if there is none', () => {
    const marketsOf = (...facts: readonly ChainAFact[]) => [
      ...new Set(ofType(inOneTick(640, ...facts, call(600)), 'DeskOpened').map(({ market }) => market)),
    ]
    const other = [buildPoolCreated({ pool: otherPool, blockAtMs: second(591) }), change(592, 3000, otherPool)]
    expect(marketsOf(swap(593))).to.deep.equal([testPool])
    expect(marketsOf(...other)).to.deep.equal([otherPool])
    expect(marketsOf(...other, change(593, -3000, otherPool))).to.deep.equal([testPool])
    expect(marketsOf(change(593, -1000))).to.deep.equal([])
  })
})
