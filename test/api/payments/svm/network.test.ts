import type { Address, Instruction } from '@solana/kit'
import { expect } from 'chai'
import { termsRefusal } from '../../../../api/payments/offers/terms.ts'
import type { PaymentIdentity, PaymentNetwork } from '../../../../api/payments/payment-network.ts'
import { validityMsMax } from '../../../../api/payments/payment-network.ts'
import { svmNetwork, svmUsdc } from '../../../../api/payments/svm/names.ts'
import { createSvmNetwork } from '../../../../api/payments/svm/network.ts'
import {
  type Made,
  makeTransaction,
  memoProgram,
  signerOfSeed,
  someBlockhash,
  svmFeePayer,
  svmSeller,
  toSvmPayload,
  transferOf,
  withSignature,
} from '../../../support/payments/svm-payments.ts'

const nowMs = 1_700_000_000_000
const payer = await signerOfSeed('a buyer')
const stranger = await signerOfSeed('a stranger')
const bytes = (text: string) => Buffer.from(text, 'base64')

describe('a payment on Solana', () => {
  let network: PaymentNetwork

  before(async () => {
    network = await createSvmNetwork({ payTo: svmSeller, rpcUrl: 'http://127.0.0.1:1', nowMs: () => nowMs })
  })

  const read = (transaction: string, accepted: object = {}) => network.identify(toSvmPayload(transaction, accepted))
  const identityOf = (transaction: string): PaymentIdentity => {
    const identity = read(transaction)
    return 'refusal' in identity ? expect.fail(identity.refusal) : identity
  }
  const refusalOf = async (made: Partial<Made>, accepted: object = {}): Promise<string | null> => {
    const identity = read(await makeTransaction({ payer, ...made }), accepted)
    return 'refusal' in identity ? identity.refusal : null
  }

  it('is told by the payer, the blockhash and the message that he signed', async () => {
    const identity = identityOf(await makeTransaction({ payer }))
    const [of, asset, from, blockhash, messageHash] = identity.paymentId.split('|')
    expect([of, asset, from, blockhash]).to.deep.equal([svmNetwork, svmUsdc, payer.address, someBlockhash])
    expect(messageHash).to.match(/^[0-9a-f]{64}$/)
    expect(identity).to.include({ payer: payer.address, usdMicros: 10_000, validAfterMs: 0 })
  })

  it('is the same payment under whatever stands in the slot of the fee payer', async () => {
    const transaction = await makeTransaction({ payer })
    const garbage = withSignature(transaction, svmFeePayer, new Uint8Array(64).fill(7))
    expect(garbage).to.not.equal(transaction)
    expect(identityOf(garbage)).to.deep.equal(identityOf(transaction))
  })

  it('is another one with another memo, blockhash, amount or fee payer', async () => {
    const ids = new Set<string>()
    const others: readonly Partial<Made>[] = [{}, { memo: 'another' }, { blockhash: svmUsdc as never }]
    for (const other of others) ids.add(identityOf(await makeTransaction({ payer, ...other })).paymentId)
    expect(ids.size).to.equal(others.length)
    expect(await refusalOf({ feePayer: svmSeller as Address })).to.equal('invalid_exact_svm_fee_payer_mismatch')
  })

  it('is remembered for eleven minutes, which its terms allow', async () => {
    const identity = identityOf(await makeTransaction({ payer }))
    expect(identity.validBeforeMs - nowMs).to.equal(660_000)
    expect(identity.validBeforeMs - nowMs).to.be.lessThan(validityMsMax)
    expect(termsRefusal({ identity, network }, 10_000, nowMs)).to.equal(null)
    expect(termsRefusal({ identity, network }, 10_001, nowMs)).to.equal('invalid_exact_svm_payload_amount_mismatch')
  })

  it('may be in the older form of a message, and carry up to four memos or assertions of a wallet', async () => {
    expect(await refusalOf({ version: 'legacy' })).to.equal(null)
    const lighthouse = 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95' as Address
    const change = (all: readonly Instruction[]) => [
      ...all,
      ...[memoProgram, lighthouse, lighthouse].map((programAddress) => ({ programAddress, data: Buffer.of(1) })),
    ]
    expect(await refusalOf({ change })).to.equal(null)
    expect(await refusalOf({ change: (all) => all.slice(0, 3) })).to.equal(null)
  })

  const instructions = 'invalid_exact_svm_payload_transaction_instructions'
  const noTransfer = 'invalid_exact_svm_payload_no_transfer_instruction'
  const changed = (index: number, change: Partial<Instruction>) => (all: readonly Instruction[]) =>
    all.map((instruction, at) => (at === index ? { ...instruction, ...change } : instruction))
  const someProgram = '11111111111111111111111111111111' as Address
  const cases: readonly (readonly [string, Partial<Made>, string])[] = [
    ['of another amount', { amount: 10_001n }, 'invalid_exact_svm_payload_amount_mismatch'],
    ['of less', { amount: 9_999n }, 'invalid_exact_svm_payload_amount_mismatch'],
    ['to somebody else', { payTo: stranger.address }, 'invalid_exact_svm_payload_recipient_mismatch'],
    [
      'that its payer need not sign',
      { change: (all) => all.slice(0, 2) },
      'invalid_exact_svm_payload_excessive_signers',
    ],
    [
      'with eight instructions',
      { change: (all) => [...all, ...Array(4).fill(all[3])] as Instruction[] },
      `${instructions}_length`,
    ],
    [
      'that does not begin with the compute limit',
      { change: ([limit, price, ...rest]) => [price, limit, ...rest] as Instruction[] },
      `${instructions}_compute_limit_instruction`,
    ],
    [
      'with a longer compute limit',
      { change: changed(0, { data: Buffer.of(2, 0, 0, 0, 0, 0) }) },
      `${instructions}_compute_limit_instruction`,
    ],
    [
      'with a shorter compute price',
      { change: changed(1, { data: Buffer.of(3, 0, 0, 0) }) },
      `${instructions}_compute_price_instruction`,
    ],
    [
      'whose fees are too high',
      { change: changed(1, { data: Buffer.from([3, 0x41, 0x4b, 0x4c, 0, 0, 0, 0, 0]) }) },
      `${instructions}_compute_price_instruction_too_high`,
    ],
    ['through another program', { change: changed(2, { programAddress: someProgram }) }, noTransfer],
    [
      'by the instruction that checks no mint',
      { change: changed(2, { data: Buffer.of(3, 16, 39, 0, 0, 0, 0, 0, 0) }) },
      noTransfer,
    ],
    [
      'with bytes behind the transfer',
      { change: changed(2, { data: Buffer.of(12, 16, 39, 0, 0, 0, 0, 0, 0, 6, 0) }) },
      noTransfer,
    ],
    ['with other decimals', { change: changed(2, { data: Buffer.of(12, 16, 39, 0, 0, 0, 0, 0, 0, 9) }) }, noTransfer],
    [
      'with a fourth instruction of another program',
      { change: changed(3, { programAddress: someProgram }) },
      'invalid_exact_svm_payload_unknown_fourth_instruction',
    ],
    [
      'with a fifth instruction of another program',
      { change: (all) => [...all, { programAddress: someProgram }] },
      'invalid_exact_svm_payload_unknown_fifth_instruction',
    ],
    [
      'that makes the fee payer a part of an instruction',
      { change: changed(3, { accounts: [{ address: svmFeePayer, role: 0 }] }) },
      'invalid_exact_svm_payload_transaction_fee_payer_transferring_funds',
    ],
  ]
  for (const [name, made, refusal] of cases)
    it(`${name} is refused before anybody is asked`, async () => {
      expect(await refusalOf(made)).to.equal(refusal)
    })

  it('of another mint or from the seller to himself is refused', async () => {
    const transfer = await transferOf({ payer })
    const [source, , destination, authority] = transfer.accounts ?? []
    const withAccounts = (accounts: readonly unknown[]) => ({ change: changed(2, { accounts: accounts as never }) })
    const otherMint = { address: someProgram, role: 0 }
    expect(await refusalOf(withAccounts([source, otherMint, destination, authority]))).to.equal(
      'invalid_exact_svm_payload_mint_mismatch',
    )
    const mint = transfer.accounts?.[1]
    expect(await refusalOf(withAccounts([destination, mint, destination, authority]))).to.equal(
      'invalid_exact_svm_payload_recipient_mismatch',
    )
    expect(await refusalOf(withAccounts([source, mint, destination, authority, otherMint]))).to.equal(noTransfer)
  })

  it('that a second account has to sign is refused', async () => {
    const signing = { address: stranger.address, role: 2, signer: stranger }
    expect(await refusalOf({ change: changed(3, { accounts: [signing as never] }) })).to.equal(
      'invalid_exact_svm_payload_excessive_signers',
    )
  })

  it('that the payer did not sign is refused here, whoever else did', async () => {
    const transaction = await makeTransaction({ payer })
    const another = bytes(await makeTransaction({ payer, memo: 'another' })).subarray(65, 129)
    for (const signature of [new Uint8Array(64), new Uint8Array(64).fill(9), another])
      expect(read(withSignature(transaction, payer.address, signature))).to.deep.equal({
        refusal: network.codes.signature,
      })
    // The correct signature passes, even after wrong signatures, and also when it is sent again.
    expect(identityOf(transaction)).to.deep.equal(identityOf(transaction))
    expect(network.signerOf).to.equal(null)
  })

  it('is refused unless it is written in the one way that every reader reads alike', async () => {
    const transaction = await makeTransaction({ payer })
    const undecoded = { refusal: 'invalid_exact_svm_payload_transaction_could_not_be_decoded' }
    const wire = bytes(transaction)
    const spellings = [
      ...['', '%', 'AAAA', `${transaction}=`, ` ${transaction}`, transaction.replaceAll('+', '-').replaceAll('/', '_')],
      Buffer.concat([wire, Buffer.of(0)]).toString('base64'),
      wire.subarray(0, -1).toString('base64'),
      // The number of signatures is written with two bytes instead of one.
      Buffer.concat([Buffer.of(0x82, 0x00), wire.subarray(1)]).toString('base64'),
      Buffer.concat([Buffer.of(3), wire.subarray(1, 65), Buffer.alloc(64), wire.subarray(65)]).toString('base64'),
      // An account comes from an address lookup table.
      Buffer.concat([wire.subarray(0, -1), Buffer.of(1), Buffer.alloc(32, 1), Buffer.of(1, 0, 0)]).toString('base64'),
    ].filter((text) => text !== transaction)
    for (const text of spellings) expect(read(text), text.slice(0, 20)).to.deep.equal(undecoded)
  })

  it('is refused with anything beside the transaction, and for another asset', async () => {
    const payload = toSvmPayload(await makeTransaction({ payer }))
    const beside = { ...payload, payload: { ...payload.payload, signature: 'x' } }
    expect(network.identify(beside)).to.deep.equal({ refusal: 'unsupported_payload_type' })
    expect(network.identify(toSvmPayload('A'.repeat(1_700)))).to.deep.equal({ refusal: 'unsupported_payload_type' })
    expect(await refusalOf({}, { asset: svmSeller })).to.equal('asset_mismatch')
  })

  it('is offered only by a facilitator that names who pays the fees', () => {
    const offers = (extra: Record<string, unknown> | undefined) => network.isOfferable?.(extra)
    expect([undefined, {}, { feePayer: 7 }, { feePayer: 'nobody' }].map(offers)).to.deep.equal(Array(4).fill(false))
    expect(offers({ feePayer: svmFeePayer })).to.equal(true)
  })
})
