import { expect } from 'chai'
import fc from 'fast-check'
import { revisionOf } from '../../../../processors/chain-a/buyers/buyers.ts'
import { buildHash } from '../../../support/builders/build-facts.ts'

const hashes = fc.uniqueArray(fc.nat(1_000_000).map(buildHash), { minLength: 1, maxLength: 20 })

describe('the revision of a question', () => {
  it('is a number of 31 bits that the transactions alone decide, in whatever order', () => {
    fc.assert(
      fc.property(hashes, (txHashes) => {
        const revision = revisionOf(txHashes)
        expect(revision).to.be.within(0, 2 ** 31 - 1)
        expect(Number.isInteger(revision)).to.equal(true)
        expect(revisionOf([...txHashes].reverse())).to.equal(revision)
      }),
    )
  })

  it('is the same in every release, because questions and answers of several meet in one log', () => {
    expect(revisionOf([])).to.equal(18652612)
    expect(revisionOf(['0xab', '0xcd'])).to.equal(716289828)
  })

  it('is another for another set of transactions', () => {
    const sets = Array.from({ length: 2000 }, (_, index) => [buildHash(index), buildHash(index + 1)])
    const pairs = sets.flatMap((set) => [set, set.slice(1)])
    expect(new Set(pairs.map(revisionOf)).size).to.equal(4000)
  })
})
