/**
 * Compares the processor that simulates copies of big buys with independent code, the recount. The processor
 * checks a copy only when a price reaches a limit, while the recount checks every trade.
 */
import { expect } from 'chai'
import { copies, createCopies } from '../../../../processors/chain-b/copies/processor.ts'
import { createMints, mints } from '../../../../processors/chain-b/mints/processor.ts'
import { createTestDriver } from '../../../../processors/runtime/test-driver.ts'
import { shadowRules } from '../../../../schemas/chain-b/copy-rules.ts'
import type { CopyClosed } from '../../../../schemas/chain-b/derived.ts'
import type { ChainBFact } from '../../../../schemas/chain-b/facts.ts'
import { chainBStage } from '../../../../schemas/chain-b/stage.ts'
import { defaultRules, type Rules } from '../../../../schemas/rules.ts'
import { createDraw } from '../../../replay/market/draw.ts'
import { second } from '../../../support/builders/build-facts.ts'
import { given, testMint } from '../../../support/chain-b/build-facts.ts'
import { curveLifeOf } from '../../../support/chain-b/curve-life.ts'
import { followedBuysOf } from '../../../support/oracle/chain-b/copies.ts'
import { closedOf } from '../../../support/oracle/chain-b/copy-records.ts'
import { type CopyRules, copyRules } from '../../../support/oracle/chain-b/copy-rules.ts'
import { rules as mintRules } from '../../../support/oracle/chain-b/rules.ts'
import { storiesIn } from '../../../support/oracle/chain-b/stories.ts'
import { bends, ruleLeaves } from '../../../support/rules/rule-leaves.ts'
import { randomMarket } from './random-market.ts'

function closedIn(
  facts: readonly ChainBFact[],
  processors: Parameters<typeof given>[0] = [mints, copies],
): CopyClosed[] {
  const hours = given(processors).when(...facts)
  const records = [...hours.records, ...hours.wokenAt(second(60 * 3600)).records]
  return records.flatMap((record) => (record.type === 'CopyClosed' ? [record.data] : []))
}

/** Returns the oracle's records of all followed buys, in their order. */
function recount(facts: readonly ChainBFact[], rules: CopyRules = copyRules): CopyClosed[] {
  const records = facts.map((record) => ({ key: testMint, record }))
  const knowing = { blockAtMs: Number.POSITIVE_INFINITY, knownHours: new Map() }
  return storiesIn(records, mintRules).flatMap((story) =>
    followedBuysOf(story, knowing, rules).map(({ buy, hour }) => closedOf(buy, hour ?? expect.fail('an hour is open'))),
  )
}

/** Translates the rules of the service to the names of the oracle. */
const copyRulesOf = ({ shadow, copy, mints: { graduatedLifeMs } }: Rules['chainB']): CopyRules => ({
  ...copyRules,
  ...{ followedLeast: BigInt(shadow.lamportsMin), bigLeast: BigInt(shadow.bigLamportsMin), hourMs: shadow.windowMs },
  ...{ hit: shadow.hitRatio, miss: shadow.missRatio, pathSec: shadow.pathSec, timeStopMs: copy.timeStopMs },
  ...{ stakeLamports: BigInt(copy.stakeLamports), stop: copy.stopRatio, takeProfit: copy.takeProfitRatio },
  ...{ trailFrom: copy.trailFromRatio, trail: copy.trailRatio, afterCompletionMs: graduatedLifeMs - shadow.windowMs },
})

describe('the hour after a buy, counted again', () => {
  const seeds = Array.from({ length: 60 }, (_, index) => index)

  it('is the same on random prices, from the curve into the pool', () => {
    const seen = new Map<string, number>()
    for (const seed of seeds) {
      const facts = randomMarket(seed)
      const closed = closedIn(facts)
      expect(closed, `seed ${seed}`).to.deep.equal(recount(facts))
      for (const { exit, quoteDrift } of closed) {
        const what = exit ?? (quoteDrift === null ? 'no fill' : 'small')
        seen.set(what, (seen.get(what) ?? 0) + 1)
      }
    }
    expect([...seen.keys()].sort()).to.deep.equal(['no fill', 'small', 'stop', 'take_profit', 'time', 'trail'])
    expect(Math.min(...seen.values()), JSON.stringify([...seen])).to.be.above(3)
  })

  it('is the same on curves that obey the formula', () => {
    let count = 0
    for (const seed of seeds.slice(0, 12)) {
      const life = curveLifeOf(createDraw(seed), { index: seed, kindIndex: seed % 2 })
      const facts = life.map(({ fact }) => fact)
      const closed = closedIn(facts)
      expect(closed, `seed ${seed}`).to.deep.equal(recount(facts))
      count += closed.length
    }
    expect(count).to.be.above(100)
  })

  it('is the same after restarts, at any tick', () => {
    const seen = seeds.slice(0, 8).map((seed) => {
      const facts = randomMarket(seed)
      const draw = createDraw(seed)
      const driver = createTestDriver({ stage: chainBStage, processors: [mints, copies] })
      for (const [index, fact] of facts.entries()) {
        driver.fact(testMint, fact)
        if (facts[index + 1]?.data.blockNumber === fact.data.blockNumber) continue
        driver.tick(fact.data.blockAtMs)
        if (draw(3) === 0) driver.restart()
      }
      driver.tick(second(60 * 3600))
      const closed = driver.outputs().flatMap(({ record }) => (record.type === 'CopyClosed' ? [record.data] : []))
      expect(closed, `seed ${seed}`).to.deep.equal(recount(facts))
      return closed.length
    })
    expect(Math.max(...seen)).to.be.above(10)
  })
})

describe('the hour after a buy, counted again under other rules', () => {
  const markets = Array.from({ length: 8 }, (_, seed) => randomMarket(seed))
  const byDefault = JSON.stringify(markets.map((facts) => closedIn(facts)))

  for (const leaf of ruleLeaves)
    if (/^chainB\.(shadow|copy)\./.test(leaf.path) && !isFixed(leaf.path))
      it(`is the same: ${leaf.path}`, () => {
        const closedBy = ({ chainB }: Rules) =>
          markets.map((facts) => closedIn(facts, [createMints(chainB.mints), createCopies(chainB)]))
        const shown = bends(leaf).find((rules) => JSON.stringify(closedBy(rules)) !== byDefault)
        if (shown === undefined) expect.fail('no other value shows in these markets')
        expect(closedBy(shown)).to.deep.equal(markets.map((facts) => recount(facts, copyRulesOf(shown.chainB))))
      })

  it('is the same: the window, with the last mark of the path', () => {
    const { chainB } = defaultRules
    const pathSec = [...chainB.shadow.pathSec.slice(0, -1), 3000]
    const bent = { ...chainB, shadow: { ...chainB.shadow, windowMs: 3_000_000, pathSec } }
    const closed = markets.map((facts) => closedIn(facts, [createMints(bent.mints), createCopies(bent)]))
    expect(JSON.stringify(closed)).to.not.equal(byDefault)
    expect(closed).to.deep.equal(markets.map((facts) => recount(facts, copyRulesOf(bent))))
  })
})

/**
 * Returns whether a number cannot be changed alone. These two numbers must change together, because the last
 * mark of the path is the end of the window.
 */
function isFixed(path: string): boolean {
  return path === 'chainB.shadow.windowMs' || path === 'chainB.shadow.pathSec.11'
}

/** Gives the facts to the stage slot by slot, with a tick after each slot. Returns the records of each slot. */
function toldBySlot(facts: readonly ChainBFact[]) {
  const driver = createTestDriver({ stage: chainBStage, processors: [mints, copies] })
  const ends = facts.filter(({ data }, index) => facts[index + 1]?.data.blockNumber !== data.blockNumber)
  return ends.map(({ data: { blockNumber: slot, blockAtMs: atMs } }, index) => {
    for (const fact of facts) if (fact.data.blockNumber === slot) driver.fact(testMint, fact)
    const records = driver.tick(atMs).map(({ record }) => record)
    return { slot, atMs, previousAtMs: ends[index - 1]?.data.blockAtMs ?? 0, records }
  })
}

describe('a followed buy', () => {
  const told = Array.from({ length: 20 }, (_, seed) => toldBySlot(randomMarket(seed))).flat()

  it('is told at its own slot', () => {
    const opened = told.flatMap(({ slot, records }) =>
      records.flatMap(({ type, data }) => (type === 'CopyOpened' ? [{ slot, bought: data.slot }] : [])),
    )
    expect(opened.filter(({ slot, bought }) => slot !== bought)).to.deep.equal([])
    expect(opened).to.have.length.above(100)
  })

  it('has its hour told at the first slot later', () => {
    const closed = told.flatMap(({ atMs, previousAtMs, records }) =>
      records.flatMap(({ type, data }) =>
        type === 'CopyClosed' ? [{ atMs, previousAtMs, overAtMs: data.atMs + shadowRules.windowMs }] : [],
      ),
    )
    expect(closed.filter((at) => at.overAtMs < at.previousAtMs || at.overAtMs >= at.atMs)).to.deep.equal([])
    expect(closed).to.have.length.above(100)
  })
})
