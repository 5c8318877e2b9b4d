import { expect } from 'chai'
import fc from 'fast-check'
import { hashTypedData } from 'viem'
import { createAuthorizationDigest } from '../../../api/payments/authorization-digest.ts'

const types = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

const hex = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((array): `0x${string}` => `0x${Buffer.from(array).toString('hex')}`)
const word = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
const tokens = fc.record({
  name: fc.string({ minLength: 1 }),
  version: fc.string({ minLength: 1 }),
  chainId: fc.integer({ min: 1 }),
  address: hex(20),
})
const authorizations = fc.record({
  from: hex(20),
  to: hex(20),
  value: word,
  validAfter: word,
  validBefore: word,
  nonce: hex(32),
})

describe('the digest of an authorization', () => {
  it('is the one that any wallet signs', () => {
    fc.assert(
      fc.property(tokens, authorizations, (token, message) => {
        const { name, version, chainId, address } = token
        const domain = { name, version, chainId, verifyingContract: address }
        const expected = hashTypedData({ domain, types, primaryType: 'TransferWithAuthorization', message })
        expect(createAuthorizationDigest(token)(message)).to.equal(expected)
      }),
      { numRuns: 200 },
    )
  })

  it('refuses a number that no contract could hold', () => {
    const digestOf = createAuthorizationDigest({ name: '', version: '', chainId: 1, address: `0x${'00'.repeat(20)}` })
    const from = `0x${'11'.repeat(20)}`
    const nonce = `0x${'22'.repeat(32)}`
    expect(() => digestOf({ from, to: from, value: 2n ** 256n, validAfter: 0n, validBefore: 1n, nonce })).to.throw(
      RangeError,
    )
  })
})
