import { expect } from 'chai'
import fc from 'fast-check'
import { clusterIdOf } from '../../../../infra/development/kafka/cluster.ts'

describe('the id of a new cluster', () => {
  it('is 22 characters of base64 for addresses, and begins with none that a tool takes for an option', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        expect(clusterIdOf(bytes)).to.match(/^[A-Za-f][\w-]{21}$/)
      }),
      // A dash came once in 64 times.
      { numRuns: 1000 },
    )
  })

  it('keeps all of the chance but one bit', () => {
    expect(clusterIdOf(new Uint8Array(16).fill(0xff))).to.equal(`f${'_'.repeat(20)}w`)
    expect(clusterIdOf(new Uint8Array(16))).to.equal('A'.repeat(22))
  })
})
