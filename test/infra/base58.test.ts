import { base58 } from '@scure/base'
import { expect } from 'chai'
import fc from 'fast-check'
import { base58OfHex, bytesOfBase58, hexOfBase58, toBase58 } from '../../infra/base58.ts'

const bytes = fc
  .tuple(fc.nat(4), fc.uint8Array({ maxLength: 600 }))
  .map(([zeros, rest]) => Buffer.concat([Buffer.alloc(zeros), rest]))

describe('base58', () => {
  it('is what the library reads and writes, of any length and with leading zeros', () => {
    fc.assert(
      fc.property(bytes, (any) => {
        const text = toBase58(any)
        expect(text).to.equal(base58.encode(any))
        expect(bytesOfBase58(text)).to.deep.equal(any)
        expect(base58OfHex(`0x${any.toString('hex')}`)).to.equal(text)
        expect(hexOfBase58(text, any.length)).to.equal(`0x${any.toString('hex')}`)
      }),
    )
  })

  it('has no other letters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        const isBase58 = /^[1-9A-HJ-NP-Za-km-z]*$/.test(text)
        expect(bytesOfBase58(text) !== null).to.equal(isBase58)
      }),
    )
    for (const letter of ['0', 'O', 'I', 'l', '+', 'é']) expect(bytesOfBase58(`1${letter}z`)).to.equal(null)
  })

  it('of an address or signature has exactly so many bytes', () => {
    const address = 'Ce6TQqeHC9p8KetsN6JsjHK7UTZk7nasjjnr7XxXp9F1'
    expect(hexOfBase58(address, 32)).to.match(/^0x[0-9a-f]{64}$/)
    expect(hexOfBase58('1'.repeat(32), 32)).to.equal(`0x${'0'.repeat(64)}`)
    for (const wrong of [address.slice(3), `${address}1`, '1'.repeat(33), '', 'z'.repeat(44), address.toLowerCase()])
      expect(hexOfBase58(wrong, 32), wrong).to.equal(null)
  })
})
