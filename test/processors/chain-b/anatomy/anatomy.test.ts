import { address, getProgramDerivedAddress } from '@solana/kit'
import { expect } from 'chai'
import { base58OfHex } from '../../../../infra/base58.ts'
import { burnAddresses, holderSharesOf, mayhemAgent } from '../../../../processors/chain-b/anatomy/holders.ts'
import { revisionOf } from '../../../../processors/chain-b/anatomy/question.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { buildHash } from '../../../support/builders/build-facts.ts'
import { buildKey, testCurve, testPool } from '../../../support/chain-b/build-facts.ts'

describe('the holders of a mint', () => {
  const holding = { supplyRaw: 1000n, curve: testCurve, pool: null }
  const holder = (owner: number, tokenRaw: bigint) => ({ owner: buildKey(owner), tokenRaw })

  it('are the largest whatever their order, and none of a token without a supply', () => {
    const amounts = [3, 40, 5, 20, 7, 60, 1, 90, 11, 80, 13, 70]
    const holders = amounts.map((amount, index) => holder(index + 1, BigInt(amount)))
    const largest = 90 + 80 + 70 + 60 + 40 + 20 + 13 + 11 + 7 + 5
    expect(holderSharesOf({ holders }, holding)).to.deep.equal({ holdersTop10: largest / 1000, holderTop1: 0.09 })
    const unknown = { holdersTop10: null, holderTop1: null }
    expect(holderSharesOf({ holders }, { ...holding, supplyRaw: 0n })).to.deep.equal(unknown)
    const one = [holder(1, 1n)]
    expect(holderSharesOf({ holders: one }, { ...holding, supplyRaw: 1n })).to.deep.equal({
      holdersTop10: 1,
      holderTop1: 1,
    })
  })

  it('are without the curve, its pool, burn addresses and the agent of mayhem mode', async () => {
    const out = [testCurve, testPool, ...burnAddresses, mayhemAgent].map((owner) => ({ owner, tokenRaw: 200n }))
    const holders = [...out, holder(1, 5n)]
    expect(holderSharesOf({ holders }, { ...holding, pool: testPool })).to.deep.equal({
      holdersTop10: 0.005,
      holderTop1: 0.005,
    })
    expect(holderSharesOf({ holders }, holding).holderTop1, 'the pool is not known').to.equal(0.2)
    expect(burnAddresses.map(base58OfHex)).to.deep.equal([
      '1'.repeat(32),
      '1nc1nerator11111111111111111111111111111111',
    ])
    const programAddress = address('MAyhSmzXzV1pTf7LsNkrNwkWKTo4ougAJ1PPg47MD4e')
    const [vault] = await getProgramDerivedAddress({ programAddress, seeds: ['sol-vault'] })
    expect(base58OfHex(mayhemAgent)).to.equal(vault)
  })

  it('are none, or unknown', () => {
    expect(holderSharesOf({ holders: [] }, holding)).to.deep.equal({ holdersTop10: 0, holderTop1: 0 })
    const unknown = { holdersTop10: null, holderTop1: null }
    expect(holderSharesOf({ holders: null }, holding)).to.deep.equal(unknown)
    expect(holderSharesOf({ holders: [] }, { ...holding, supplyRaw: null })).to.deep.equal(unknown)
  })
})

describe('the revision of a question about holders', () => {
  it('is a number of 31 bits, another one for another slot hash', () => {
    const revisions = Array.from({ length: 2000 }, (_, index) => revisionOf(buildHash(index)))
    expect(new Set(revisions).size).to.equal(2000)
    for (const revision of revisions) expect(revision).to.be.within(0, 2 ** 31 - 1)
  })

  it('stays what it is in every version: answers on the log name it', () => {
    // The hash FNV-1a gives 0xe40c292c for `a` and 0xbf9cf968 for `foobar`. `revisionOf` makes 31 bits of it,
    // with the highest bit folded into the lowest.
    const of = (text: string) => revisionOf(text as Hex)
    expect([of('a'), of('foobar')]).to.deep.equal([0x640c292d, 0x3f9cf969])
  })
})
