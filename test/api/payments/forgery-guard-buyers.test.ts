import { expect } from 'chai'
import { createForgeryGuard, type ForgeryGuard } from '../../../api/payments/forgery-guard.ts'
import type { Signer } from '../../../api/payments/payment-network.ts'
import type { Verification } from '../../../api/payments/verification.ts'

const valid: Verification = { kind: 'valid' }
const refused: Verification = { kind: 'refused', reason: 'insufficient_funds' }
const buyer = { address: 'shared', payer: '0xbb' }

describe('the guard against forged payments, of a payer who has bought before', () => {
  let clock: { atMs: number }
  let guard: ForgeryGuard
  let recovered: number
  let asked: number

  beforeEach(() => {
    clock = { atMs: 1_000_000 }
    guard = createForgeryGuard(
      () => clock.atMs,
      (payer) => payer === buyer.payer,
    )
    recovered = 0
    asked = 0
  })

  const buy = async (verification: Verification = valid, signer: Signer = 'payer', client = buyer) => {
    const verdict = await guard.verify(client, {
      signer: async () => {
        recovered += 1
        return signer
      },
      verify: async () => {
        asked += 1
        return verification
      },
    })
    return verdict.kind
  }
  const buyOften = async (times: number, ...purchase: Parameters<typeof buy>) => {
    const kinds: string[] = []
    for (let turn = 0; turn < times; turn++) kinds.push(await buy(...purchase))
    return kinds
  }
  const newcomerAt = (address: string) => ({ address, payer: `newcomer at ${address}` })
  /** So many that no newcomer at the address gets through. */
  const storm = async (address = 'shared') => {
    await buyOften(31, refused, 'payer', newcomerAt(address))
    await buyOften(20, refused, 'other', newcomerAt(address))
    expect(await buy(valid, 'payer', newcomerAt(address))).to.equal('limited')
    recovered = 0
    asked = 0
  }

  it('asks the facilitator beside any storm at his address, and of a newcomer it does not', async () => {
    await storm()
    expect([await buy(), recovered, asked]).to.deep.equal(['valid', 1, 1])
    expect(await buy(valid, 'payer', newcomerAt('shared'))).to.equal('limited')
  })

  it('recovers nothing while nothing is in his way', async () => {
    expect(await buyOften(20)).to.deep.equal(Array(20).fill('valid'))
    expect(recovered).to.equal(0)
  })

  it('does so beside answers of his address that were not sold', async () => {
    for (let turn = 0; turn < 10; turn++) guard.noteUnsold({ address: 'shared', payer: '0xcc' })
    expect(await buy(valid, 'payer', newcomerAt('shared'))).to.equal('limited')
    expect(await buy()).to.equal('valid')
    for (let turn = 0; turn < 10; turn++) guard.noteUnsold({ address: 'elsewhere', payer: '0xbb' })
    expect(await buy(), 'beside his own').to.equal('limited')
  })

  it('does so beside as many payments of strangers as are checked at once', async () => {
    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    const slow = async () => {
      await answered
      return valid
    }
    const waiting = Array.from({ length: 256 }, (_, index) =>
      guard.verify(
        { address: `stranger ${index}`, payer: `payer ${index}` },
        { signer: async () => 'payer', verify: slow },
      ),
    )
    expect(await buy(valid, 'payer', newcomerAt('elsewhere'))).to.equal('limited')
    expect(await buy()).to.equal('valid')
    answer()
    await Promise.all(waiting)
  })

  it('has eight tries for each purchase, and those of others in his name are none', async () => {
    await storm()
    expect(await buyOften(2, refused, 'other')).to.deep.equal(['forged', 'forged'])
    expect(await buyOften(9, refused)).to.deep.equal([...Array(8).fill('refused'), 'limited'])
    guard.noteBought('0xbb')
    clock.atMs += 1_000
    expect(await buy()).to.equal('valid')
  })

  it('buys any number a second: signers that are his use up no budget', async () => {
    await storm()
    for (let turn = 0; turn < 100; turn++) {
      expect(await buy()).to.equal('valid')
      guard.noteBought('0xbb')
    }
    expect(recovered).to.equal(100)
  })

  it('has eight tries that come together, and again after an hour', async () => {
    await storm()
    const kinds = await Promise.all(Array.from({ length: 10 }, () => buy()))
    expect(kinds.sort()).to.deep.equal(['limited', 'limited', ...Array(8).fill('valid')])
    clock.atMs += 3_600_000
    await storm()
    expect(await buy()).to.equal('valid')
  })

  it('does not count his refusals against his address', async () => {
    const refuseNewcomers = async (times: number) => {
      for (let turn = 0; turn < times; turn++) {
        expect(await buy(refused, 'payer', newcomerAt('shared'))).to.equal('refused')
        clock.atMs += 100
      }
    }
    await refuseNewcomers(15)
    await buyOften(8, refused)
    await refuseNewcomers(15)
    expect(await buyOften(2, refused, 'payer', newcomerAt('shared'))).to.deep.equal(['refused', 'limited'])
  })

  it('recovers ten signers a second for his name from one address, and forty for all names', async () => {
    for (const address of ['shared', 'other', 'third', 'fourth', 'fifth'])
      await buyOften(31, refused, 'payer', newcomerAt(address))
    clock.atMs += 1_000
    recovered = 0
    const kinds = await buyOften(11, refused, 'other')
    expect(kinds).to.deep.equal([...Array(10).fill('forged'), 'forged'])
    expect(recovered, 'the eleventh of the share of the address').to.equal(11)
    for (const address of ['other', 'third', 'fourth']) await buyOften(10, refused, 'other', { ...buyer, address })
    expect(recovered).to.equal(41)
    await buyOften(10, refused, 'other', { ...buyer, address: 'fifth' })
    expect(recovered, 'the share of an address and no more').to.equal(51)
  })

  it('is bound by his address where the signer cannot be told', async () => {
    await storm()
    expect(await buy(valid, 'unknown')).to.equal('limited')
  })
})
