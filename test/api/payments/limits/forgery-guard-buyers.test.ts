import { expect } from 'chai'
import type { Verification } from '../../../../api/payments/facilitator/verification.ts'
import type { Signer } from '../../../../api/payments/payment-network.ts'
import { guardWorld, refused, valid } from './guard-world.ts'

const buyer = { address: 'shared', payer: '0xbb' }

describe('the guard against forged payments, of a payer who has bought before', () => {
  const world = guardWorld((payer) => payer === buyer.payer)
  const buy = (verification: Verification = valid, signer: Signer = 'payer', client = buyer) =>
    world.pay(client, verification, signer)
  const buyOften = (
    times: number,
    ...[verification = valid, signer = 'payer', client = buyer]: Parameters<typeof buy>
  ) => world.payOften(times, client, verification, signer)
  const newcomerAt = (address: string) => ({ address, payer: `newcomer at ${address}` })
  /** So many that no newcomer at the address gets through. */
  const storm = async (address = 'shared') => {
    await buyOften(31, refused, 'payer', newcomerAt(address))
    await buyOften(20, refused, 'other', newcomerAt(address))
    expect(await buy(valid, 'payer', newcomerAt(address))).to.equal('limited')
    world.recovered = 0
    world.asked = 0
  }

  it('asks the facilitator beside any storm at his address, and of a newcomer it does not', async () => {
    await storm()
    expect([await buy(), world.recovered, world.asked]).to.deep.equal(['valid', 1, 1])
    expect(await buy(valid, 'payer', newcomerAt('shared'))).to.equal('limited')
  })

  it('recovers nothing while nothing is in his way', async () => {
    expect(await buyOften(20, valid)).to.deep.equal(Array(20).fill('valid'))
    expect(world.recovered).to.equal(0)
  })

  it('does so beside answers of his address that were not sold', async () => {
    for (let turn = 0; turn < 10; turn++) world.guard.noteUnsold({ address: 'shared', payer: '0xcc' })
    expect(await buy(valid, 'payer', newcomerAt('shared'))).to.equal('limited')
    expect(await buy()).to.equal('valid')
    for (let turn = 0; turn < 10; turn++) world.guard.noteUnsold({ address: 'elsewhere', payer: '0xbb' })
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
      world.guard.verify(
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
    world.guard.noteBought('0xbb')
    world.clock.atMs += 1_000
    expect(await buy()).to.equal('valid')
  })

  it('buys any number a second: signers that are his use up no budget', async () => {
    await storm()
    for (let turn = 0; turn < 100; turn++) {
      expect(await buy()).to.equal('valid')
      world.guard.noteBought('0xbb')
    }
    expect(world.recovered).to.equal(100)
  })

  it('has eight tries that come together, and again after an hour', async () => {
    await storm()
    const kinds = await Promise.all(Array.from({ length: 10 }, () => buy()))
    expect(kinds.sort()).to.deep.equal(['limited', 'limited', ...Array(8).fill('valid')])
    world.clock.atMs += 3_600_000
    await storm()
    expect(await buy()).to.equal('valid')
  })

  it('does not count his refusals against his address', async () => {
    const refuseNewcomers = async (times: number) => {
      for (let turn = 0; turn < times; turn++) {
        expect(await buy(refused, 'payer', newcomerAt('shared'))).to.equal('refused')
        world.clock.atMs += 100
      }
    }
    await refuseNewcomers(15)
    await buyOften(8, refused)
    await refuseNewcomers(15)
    expect(await buyOften(2, refused, 'payer', newcomerAt('shared'))).to.deep.equal(['refused', 'limited'])
  })

  it('is bound by his address where the signer cannot be told', async () => {
    await buy(refused, 'payer', newcomerAt('shared'))
    world.recovered = 0
    expect([await buy(valid, 'unknown'), world.recovered], 'and recovered once').to.deep.equal(['valid', 1])
    await storm()
    expect(await buy(valid, 'unknown')).to.equal('limited')
  })
})
