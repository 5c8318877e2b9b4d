import { expect } from 'chai'
import { toFunctionSelector } from 'viem'
import { poolSelectors, readCurrencies, readV3State, readV4State } from '../../../../ingest/chain-a/price/pool-state.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { buildAddress, buildHash } from '../../../support/builders/build-facts.ts'

const manager = buildAddress(1)
const pool = buildHash(0xb0)
const answering = (answer: Hex | null) => async () => answer
const words = (...values: readonly bigint[]): Hex =>
  `0x${values.map((value) => BigInt.asUintN(256, value).toString(16).padStart(64, '0')).join('')}`

const failureOf = (reading: Promise<unknown>) =>
  reading.then(
    () => 'none',
    (error: Error) => error.message,
  )

/** These tests use made-up answers. Other tests read real contracts on a real node. */
describe('the state of a pool', () => {
  it('is asked for with the hashes of the signatures', () => {
    for (const [signature, selector] of Object.entries(poolSelectors))
      expect(selector).to.equal(toFunctionSelector(signature))
  })

  it('has a price tick that may be below zero', async () => {
    const packed = (BigInt.asUintN(24, -55_123n) << 160n) | 77n
    const call = answering(words(packed))
    expect(await readV4State(call, manager, pool)).to.deep.equal({
      sqrtPriceX96: 77n,
      priceTick: -55_123,
      liquidity: 77n,
    })
    const v3 = await readV3State(answering(words(77n, -55_123n, 0n, 0n, 0n, 0n, 1n)), manager)
    expect(v3).to.include({ sqrtPriceX96: 77n, priceTick: -55_123 })
  })

  it('is none where there is no contract', async () => {
    expect(await readV4State(answering(null), manager, pool)).to.equal(null)
    expect(await readV3State(answering(null), manager)).to.equal(null)
    expect(await readCurrencies(answering(null), manager, pool)).to.equal(null)
  })

  it('is none of an answer that is too short', async () => {
    expect(await failureOf(readV4State(answering('0x'), manager, pool))).to.contain('fewer bytes than expected')
    expect(await failureOf(readV3State(answering('0x'), manager))).to.contain('fewer bytes than expected')
  })

  it('names no currencies of a pool whose id only begins alike', async () => {
    const key = words(0n, BigInt(buildAddress(0x70)), 3000n, 60n, 0n)
    expect(await readCurrencies(answering(key), manager, pool)).to.equal(null)
  })
})
