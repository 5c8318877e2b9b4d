import { expect } from 'chai'
import { pools } from '../../../../processors/chain-a/pools/processor.ts'
import { stateVersionOf } from '../../../../processors/runtime/task.ts'
import { chainA } from '../../../../processors/stages.ts'
import { priceMemoryMs } from '../../../../schemas/calls/retention.ts'
import type { ChainADerived } from '../../../../schemas/chain-a/derived.ts'
import { priceFromSqrt } from '../../../../schemas/chain-a/pool-price.ts'
import {
  buildHash,
  buildPoolCreated,
  buildPoolInitialized,
  buildSwap,
  second,
  sqrtPriceX96Of,
  testPool,
} from '../../../support/builders/build-facts.ts'
import { given } from '../../../support/given-chain-a.ts'

const px = priceFromSqrt(sqrtPriceX96Of(1e-9), true)
const opened = (dex: 'v4' | 'v3', price: number | null): ChainADerived => ({
  type: 'PoolOpened',
  data: { pool: testPool, dex, createdBlock: 1000, createdAtMs: second(0), px: price },
})

describe('pools', () => {
  it('open at their initial price', () => {
    given(pools)
      .when(buildPoolCreated())
      .emits([opened('v4', px)])
  })

  it('open once, although their creation is told again', () => {
    given(pools, [buildPoolCreated()])
      .when(buildPoolCreated({ blockAtMs: second(5) }))
      .emits([])
  })

  it('on v3 open without a price, and again when they get it', () => {
    const v3 = buildPoolCreated({ dex: 'v3', sqrtPriceX96: null })
    const then = given(pools).when(v3)
    then.emits([opened('v3', null)])
    then.when(buildPoolInitialized({ blockAtMs: second(5) })).emits([opened('v3', px)])
  })

  it('are not opened by a price alone', () => given(pools).when(buildPoolInitialized()).emits([]))

  it('close 25 h 30 min after their creation, and are forgotten', () => {
    const closedAtMs = second(25.5 * 3600)
    const then = given(pools, [buildPoolCreated()]).wokenAt(closedAtMs - 1)
    then.emits([])
    then.wokenAt(closedAtMs).emits([{ type: 'PoolClosed', data: { pool: testPool, closedAtMs } }])
    expect(then.driver.counts().tokens).to.equal(0)
  })

  it('of one token close each at its own age', () => {
    const late = buildHash(0x1a)
    const both = [buildPoolCreated(), buildPoolCreated({ pool: late, blockAtMs: second(60) })]
    const then = given(pools, both).wokenAt(second(25.5 * 3600))
    then.emits([{ type: 'PoolClosed', data: { pool: testPool, closedAtMs: second(25.5 * 3600) } }])
    const lateAtMs = second(25.5 * 3600 + 60)
    then.wokenAt(lateAtMs).emits([{ type: 'PoolClosed', data: { pool: late, closedAtMs: lateAtMs } }])
  })

  for (const processor of chainA.processors.filter(({ reads }) => reads?.includes('PoolCreated')))
    it(`keep their token in the state of ${processor.name} alone, until they close`, () => {
      expect(given(processor).when(buildPoolCreated()).driver.counts().tokens).to.equal(1)
    })

  it('are followed in a state of these names and versions: a snapshot of others is not loaded', () => {
    const versions =
      'pools@2 gaps@1 curves@3 markets@1 minutes@4 bursts@2 buyers@1 liquidity@6 outcomes@3 calls@7 grades@1 desk@4'
    expect(stateVersionOf(chainA.processors)).to.equal(versions)
  })

  it('leave nothing behind in the whole stage once calls have forgotten their prices', () => {
    const swaps = Array.from({ length: 20 }, (_, index) => buildSwap({ blockAtMs: second(600 + index) }))
    const closedAtMs = second(25.5 * 3600)
    const then = given(chainA.processors, [buildPoolCreated(), ...swaps]).wokenAt(closedAtMs + priceMemoryMs)
    expect(then.driver.counts()).to.deep.equal({ tokens: 0, timers: 0 })
  })
})
