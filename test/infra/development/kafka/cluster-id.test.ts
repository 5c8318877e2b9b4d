import { expect } from 'chai'
import fc from 'fast-check'
import { clusterIdOf } from '../../../../infra/development/kafka/cluster.ts'

describe('the id of a new cluster', () => {
  it('has 22 characters of URL-safe base64, and does not begin with a dash', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        expect(clusterIdOf(bytes)).to.match(/^[A-Za-f][\w-]{21}$/)
      }),
      // There are many runs, because without the mask only one id in 64 begins with a dash.
      { numRuns: 1000 },
    )
  })

  it('loses only one bit of randomness', () => {
    expect(clusterIdOf(new Uint8Array(16).fill(0xff))).to.equal(`f${'_'.repeat(20)}w`)
    expect(clusterIdOf(new Uint8Array(16))).to.equal('A'.repeat(22))
  })
})
