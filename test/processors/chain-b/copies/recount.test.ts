/** The processor looks at a copy only where a price reaches a limit. Whoever looks at every trade of every copy finds the same. */
import { expect } from 'chai'
import { copies } from '../../../../processors/chain-b/copies/processor.ts'
import { mints } from '../../../../processors/chain-b/mints/processor.ts'
import type { CopyClosed } from '../../../../schemas/chain-b/derived.ts'
import type { ChainBFact } from '../../../../schemas/chain-b/facts.ts'
import { createDraw } from '../../../replay/draw.ts'
import { second } from '../../../support/build-facts.ts'
import { given } from '../../../support/chain-b/build-facts.ts'
import { curveLifeOf } from '../../../support/chain-b/curve-life.ts'
import { randomMarket } from './random-market.ts'
import { recount } from './recount.ts'

function closedIn(facts: readonly ChainBFact[]): CopyClosed[] {
  const hours = given([mints, copies]).when(...facts)
  const records = [...hours.records, ...hours.wokenAt(second(60 * 3600)).records]
  return records.flatMap((record) => (record.type === 'CopyClosed' ? [record.data] : []))
}

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
    expect(Math.min(...seen.values()), JSON.stringify([...seen])).to.be.above(5)
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
})
