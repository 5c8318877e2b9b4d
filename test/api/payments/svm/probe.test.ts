import { hash } from 'node:crypto'
import type { Signature } from '@solana/kit'
import { expect } from 'chai'
import type { ChainFinding } from '../../../../api/payments/payment-network.ts'
import { createSvmProbe } from '../../../../api/payments/svm/probe.ts'
import { toBase58 } from '../../../../infra/base58.ts'
import { makeTransaction, signerOfSeed, someBlockhash } from '../../../support/payments/svm-payments.ts'

const rememberedMs = 660_000
const seenAtMs = 1_700_000_000_000
const payer = await signerOfSeed('a buyer')
const ours = await makeTransaction({ payer })
const other = await makeTransaction({ payer, memo: 'another' })
/** The message is the transaction without the signatures. */
const messageHash = hash('sha256', Buffer.from(ours, 'base64').subarray(129), 'hex')
const paymentId = ['solana:5', 'mint', payer.address, someBlockhash, messageHash].join('|')
const signatureOf = (index: number) => toBase58(Buffer.alloc(64, `${index} `)) as Signature

type Landed = Readonly<{ wire: string; atMs?: number; err?: object; isFinal?: boolean; isMissing?: boolean }>

describe('the search for a payment on Solana', () => {
  /** The transactions of the payer on the chain, newest first. */
  let landed: Landed[]
  let node: { nowMs: number; isValid: boolean; finalAtMs: number; slot: bigint; isAway: boolean }
  let asked: { method: string; options?: unknown }[]
  let find: () => Promise<ChainFinding>
  /** The signature of the transaction that the facilitator reported. */
  let told: string | null

  const answering = <Answer>(method: string, answer: () => Answer, options?: unknown) => ({
    send: async (): Promise<Answer> => {
      asked.push({ method, options })
      if (node.isAway) throw new TypeError('the node is away')
      return answer()
    },
  })
  const double = {
    getSignaturesForAddress: (address: string, options: { limit: number; commitment: string; before?: string }) =>
      answering(
        'list',
        () => {
          expect(address).to.equal(payer.address)
          const from =
            options.before === undefined ? 0 : landed.findIndex((_, at) => signatureOf(at) === options.before) + 1
          return landed
            .map(({ atMs = seenAtMs + 1_000, err = null, isFinal = true }, at) => ({
              ...{ signature: signatureOf(at), blockTime: BigInt(Math.floor(atMs / 1000)), err, isFinal },
            }))
            .slice(from, from + options.limit)
            .filter(({ isFinal }) => isFinal || options.commitment === 'confirmed')
        },
        options,
      ),
    getTransaction: (signature: Signature) =>
      answering('read', () => {
        const found = landed.find((_, at) => signatureOf(at) === signature)
        const { wire, err = null } = found ?? { wire: '' }
        return found === undefined || found.isMissing ? null : { transaction: [wire, 'base64'], meta: { err } }
      }),
    isBlockhashValid: (blockhash: string, options: unknown) =>
      answering(
        'valid',
        () => {
          expect(blockhash).to.equal(someBlockhash)
          return { context: { slot: node.slot }, value: node.isValid }
        },
        options,
      ),
    getBlockTime: (slot: bigint) =>
      answering('time', () => {
        expect(slot).to.equal(node.slot)
        return BigInt(Math.floor(node.finalAtMs / 1000))
      }),
  }

  beforeEach(() => {
    landed = []
    asked = []
    node = { nowMs: seenAtMs, isValid: true, finalAtMs: seenAtMs, slot: 500n, isAway: false }
    const probe = createSvmProbe(double as never, { rememberedMs, nowMs: () => node.nowMs })
    told = null
    find = () => probe({ paymentId, usdMicros: 10_000, validBeforeMs: seenAtMs + rememberedMs, transaction: told })
  })
  const methods = () => asked.map(({ method }) => method)
  const dead = () => Object.assign(node, { nowMs: seenAtMs + 200_000, isValid: false, finalAtMs: seenAtMs + 180_000 })

  it('finds it among the transactions of the payer, by its message', async () => {
    landed = [{ wire: other }, { wire: ours }]
    expect(await find()).to.deep.equal({ kind: 'paid', transaction: signatureOf(1) })
  })

  it('finds it where it is said to be, and lists nothing', async () => {
    landed = [{ wire: other }, { wire: ours }]
    told = signatureOf(1)
    expect(await find()).to.deep.equal({ kind: 'paid', transaction: signatureOf(1) })
    expect(methods()).to.deep.equal(['read'])
  })

  for (const [name, transaction] of [
    ['of another message', { wire: other }],
    ['that failed', { wire: ours, err: { InstructionError: [2, 'Custom'] } }],
    ['that is nowhere', { wire: ours, isMissing: true }],
  ] as const)
    it(`is not convinced by a transaction ${name}`, async () => {
      landed = [transaction]
      told = signatureOf(0)
      expect(await find()).to.deep.equal({ kind: 'unpaid' })
    })

  it('does not take for paid what failed, or is of another message', async () => {
    landed = [{ wire: ours, err: { InstructionError: [2, 'Custom'] } }, { wire: other }]
    expect(await find()).to.deep.equal({ kind: 'unpaid' })
  })

  it('reads each transaction once', async () => {
    landed = [{ wire: other }, { wire: other }]
    await find()
    await find()
    expect(methods()).to.deep.equal(['list', 'read', 'read', 'list'])
  })

  it('reads none from before the payment was seen', async () => {
    landed = [{ wire: ours, atMs: seenAtMs - 121_000 }]
    expect(await find()).to.deep.equal({ kind: 'unpaid' })
    expect(methods()).to.deep.equal(['list'])
    landed = [{ wire: ours, atMs: seenAtMs - 119_000 }]
    expect((await find()).kind).to.equal('paid')
  })

  it('says expired when its blockhash is dead in a final block of long after it was seen', async () => {
    dead()
    landed = [{ wire: other }]
    expect(await find()).to.deep.equal({ kind: 'expired' })
    const [, , valid, , last] = asked
    expect(valid?.options).to.deep.equal({ commitment: 'finalized' })
    expect(last?.options).to.include({ commitment: 'finalized', minContextSlot: 500n })
  })

  const uncertain: readonly (readonly [string, () => void])[] = [
    ['while the blockhash is valid', () => Object.assign(node, { isValid: true })],
    ['within two minutes, whatever the node says', () => Object.assign(node, { nowMs: seenAtMs + 119_000 })],
    ['by a node that lags behind', () => Object.assign(node, { finalAtMs: seenAtMs + 120_000 })],
    ['while a transaction of the payer cannot be read', () => void landed.push({ wire: other, isMissing: true })],
    ['while more are left to read than are read at once', () => void landed.push(...Array(201).fill({ wire: other }))],
    [
      'when the payer has more transactions than are listed',
      () => void landed.push(...Array(5_001).fill({ wire: other, err: {} })),
    ],
  ]
  for (const [name, make] of uncertain)
    it(`does not say expired ${name}`, async () => {
      dead()
      make()
      expect(await find()).to.deep.equal({ kind: 'unpaid' })
    })

  it('says expired in the end for a payer of many transactions', async () => {
    dead()
    landed = Array.from({ length: 250 }, () => ({ wire: other }))
    expect([await find(), await find()].map(({ kind }) => kind)).to.deep.equal(['unpaid', 'expired'])
  })

  it('pages through a list that is longer than a page', async () => {
    landed = [...Array(1_500).fill({ wire: other, err: {} }), { wire: ours }]
    expect(await find()).to.deep.equal({ kind: 'paid', transaction: signatureOf(1_500) })
  })

  it('finds what landed between the two looks', async () => {
    dead()
    landed = [{ wire: ours, isMissing: true }]
    const expected = signatureOf(0)
    const list = double.getSignaturesForAddress
    let looks = 0
    double.getSignaturesForAddress = (...request) => {
      if (++looks === 2) landed = [{ wire: ours }]
      return list(...request)
    }
    try {
      expect(await find()).to.deep.equal({ kind: 'paid', transaction: expected })
    } finally {
      double.getSignaturesForAddress = list
    }
  })

  it('throws when the node returns an invalid transaction id', async () => {
    const list = double.getSignaturesForAddress
    const evil = 'aa\r\nX-Evil: 1' as Signature
    double.getSignaturesForAddress = (...request) => {
      const { send } = list(...request)
      return { send: async () => (await send()).map((each) => ({ ...each, signature: evil })) }
    }
    landed = [{ wire: ours }]
    try {
      expect(await find().catch((error: unknown) => error)).to.be.instanceOf(TypeError)
    } finally {
      double.getSignaturesForAddress = list
    }
  })

  it('throws when the node does not answer', async () => {
    node.isAway = true
    const failure = await find().catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(TypeError)
  })
})
