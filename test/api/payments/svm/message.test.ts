import {
  getAddressEncoder,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
} from '@solana/kit'
import { expect } from 'chai'
import fc from 'fast-check'
import { readSvmTransaction, type SvmTransaction } from '../../../../api/payments/svm/message.ts'
import { toBase58 } from '../../../../infra/base58.ts'
import { makeTransaction, signerOfSeed } from '../../../support/payments/svm-payments.ts'

const payer = await signerOfSeed('a buyer')
const versioned = Buffer.from(await makeTransaction({ payer }), 'base64')
const legacy = Buffer.from(await makeTransaction({ payer, version: 'legacy' }), 'base64')

/**
 * Returns the message in the form in which Solana's packages decode it. Returns null if the packages cannot
 * decode the message, or if they encode the decoded message to other bytes.
 */
function readByKit(bytes: Buffer) {
  try {
    const { messageBytes } = getTransactionDecoder().decode(bytes)
    const message = getCompiledTransactionMessageDecoder().decode(messageBytes)
    const again = getCompiledTransactionMessageEncoder().encode(message)
    return Buffer.compare(Uint8Array.from(again), Uint8Array.from(messageBytes)) === 0 ? message : null
  } catch {
    return null
  }
}

function expectEqual(ours: SvmTransaction, bytes: Buffer): void {
  const message = readByKit(bytes)
  expect(message, bytes.toString('base64')).to.not.equal(null)
  if (message === null || !('instructions' in message)) throw new TypeError('no instructions')
  expect(ours.accounts.map(toBase58)).to.deep.equal(message.staticAccounts)
  expect(toBase58(ours.blockhash)).to.equal(message.lifetimeToken)
  const instructions = message.instructions.map(({ programAddressIndex, accountIndices = [], data }) => ({
    program: message.staticAccounts[programAddressIndex],
    accounts: accountIndices.map((index) => message.staticAccounts[index]),
    data: Buffer.from((data ?? new Uint8Array()) as Uint8Array).toString('hex'),
  }))
  const oursAsText = ours.instructions.map(({ program, accounts, data }) => {
    return { program: toBase58(program), accounts: accounts.map(toBase58), data: data.toString('hex') }
  })
  expect(oursAsText).to.deep.equal(instructions)
}

describe('a Solana transaction, read in place', () => {
  for (const [name, bytes] of [
    ['of version 0', versioned],
    ['of the older form', legacy],
  ] as const)
    it(`${name} is read as the packages of Solana read it`, () => {
      const ours = readSvmTransaction(bytes)
      expect(ours).to.not.equal(null)
      if (ours) expectEqual(ours, bytes)
      expect(ours?.accounts[1]).to.deep.equal(Buffer.from(getAddressEncoder().encode(payer.address) as Uint8Array))
    })

  it('is read so however its bytes are bent, or not at all', () => {
    let taken = 0
    const bent = fc.tuple(
      fc.constantFrom(versioned, legacy),
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 3 }),
      fc.constantFrom(-1, 0, 0, 0, 1),
    )
    fc.assert(
      fc.property(bent, ([bytes, changes, more]) => {
        const copy = Buffer.concat([bytes.subarray(0, more < 0 ? -1 : undefined), Buffer.alloc(Math.max(0, more))])
        for (const [at, value] of changes) copy[129 + (at % (copy.length - 129))] = value
        const ours = readSvmTransaction(copy)
        if (ours === null) return
        taken += 1
        expectEqual(ours, copy)
      }),
      { numRuns: 400 },
    )
    expect(taken, 'it says something only where some are taken').to.be.greaterThan(30)
  })

  it('is none where a byte is missing or left over, whatever is cut', () => {
    for (let length = 0; length < versioned.length; length++)
      expect(readSvmTransaction(versioned.subarray(0, length)), String(length)).to.equal(null)
    expect(readSvmTransaction(Buffer.concat([versioned, Buffer.of(0)]))).to.equal(null)
  })

  it('is none with an account twice, a version beyond 0 or a length in more bytes than it needs', () => {
    const changed = (at: number, ...bytes: number[]) => {
      const copy = Buffer.from(versioned)
      copy.set(bytes, at)
      return copy
    }
    // The meaning of the bytes: 129 is the version, 130 to 132 are the header, 133 is the number of accounts,
    // and 134 begins the first account.
    expect(readSvmTransaction(changed(129, 0x81))).to.equal(null)
    expect(readSvmTransaction(changed(130, 3))).to.equal(null)
    expect(readSvmTransaction(changed(131, 2))).to.equal(null)
    expect(readSvmTransaction(changed(132, 200))).to.equal(null)
    expect(readSvmTransaction(changed(134, ...versioned.subarray(166, 198)))).to.equal(null)
    const count = versioned[133] ?? 0
    const longer = Buffer.concat([versioned.subarray(0, 133), Buffer.of(0x80 | count, 0), versioned.subarray(134)])
    expect(readSvmTransaction(longer)).to.equal(null)
    const longest = Buffer.concat([Buffer.of(0x82, 0x80, 0x80, 0), versioned.subarray(1)])
    expect(readSvmTransaction(longest)).to.equal(null)
  })
})
