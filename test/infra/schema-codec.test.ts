import { expect } from 'chai'
import fc from 'fast-check'
import { avroType } from '../../infra/schema-codec.ts'
import { swap } from '../../schemas/chain-a/facts.ts'

describe('schema codec', () => {
  it('carries integers of any width exactly', () => {
    const type = avroType(swap)
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n }), (ethWei) => {
        const value = {
          pool: `0x${'ab'.repeat(32)}`,
          ethWei,
          tokenRaw: -ethWei,
          sqrtPriceX96: 2n ** 159n,
          liquidity: 0n,
          tick: -887272,
          sender: `0x${'01'.repeat(20)}`,
          blockNumber: 4_503_599_627_370_495,
          blockAtMs: 1_700_000_000_000,
          txIndex: 0,
          logIndex: 3,
          blockHash: `0x${'02'.repeat(32)}`,
          txHash: `0x${'03'.repeat(32)}`,
        }
        expect({
          ...(type.fromBuffer(type.toBuffer(value)) as object),
        }).to.deep.equal(value)
      }),
    )
  })
})
