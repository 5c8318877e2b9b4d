import { expect } from 'chai'
import type { Verification } from '../../../../api/payments/facilitator/verification.ts'
import type { Signer } from '../../../../api/payments/payment-network.ts'
import { createSlowAnswer, guardWorld, refused, valid } from './guard-world.ts'

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
  /** Sends so many refused payments from the address that new payers at this address must wait. */
  const storm = async (address = 'shared') => {
    await buyOften(31, refused, 'payer', newcomerAt(address))
    world.recovered = 0
    world.asked = 0
  }
  /** Returns the result of the payment check, and the time until this result in milliseconds. */
  const waitMs = async (paid: () => Promise<string>) => {
    const startedAtMs = world.clock.atMs
    return [await paid(), world.clock.atMs - startedAtMs]
  }

  it('asks the facilitator beside any storm at his address at once, and of a newcomer later', async () => {
    await storm()
    expect(await waitMs(buy)).to.deep.equal(['valid', 0])
    expect([world.recovered, world.asked]).to.deep.equal([1, 1])
    expect((await waitMs(() => buy(valid, 'payer', newcomerAt('shared'))))[1]).to.be.within(1_000, 2_000)
  })

  it('recovers nothing of a payer whose signature is checked already', async () => {
    await storm()
    expect([await world.pay(buyer, valid, null), world.recovered]).to.deep.equal(['valid', 0])
  })

  it('recovers nothing while nothing is in his way', async () => {
    expect(await buyOften(20, valid)).to.deep.equal(Array(20).fill('valid'))
    expect(world.recovered).to.equal(0)
  })

  it('does so beside answers of his address that were not sold', async () => {
    for (let turn = 0; turn < 10; turn++) world.guard.noteUnsold({ address: 'shared', payer: '0xcc' })
    expect(await waitMs(buy)).to.deep.equal(['valid', 0])
    for (let turn = 0; turn < 10; turn++) world.guard.noteUnsold({ address: 'elsewhere', payer: '0xbb' })
    expect(await buy(), 'beside his own').to.equal('limited')
  })

  it('does so beside as many payments of strangers as are checked at once', async () => {
    const { answered, give } = createSlowAnswer()
    const waiting = Array.from({ length: 256 }, (_, index) =>
      world.paySlowly({ address: `stranger ${index}`, payer: `payer ${index}` }, { answered }),
    )
    // The queue is now so long that the payment of a new payer is refused.
    expect(await buy(valid, 'payer', newcomerAt('elsewhere'))).to.equal('limited')
    expect(await waitMs(buy)).to.deep.equal(['valid', 0])
    give()
    await Promise.all(waiting)
  })

  it('does so as soon as something comes in his way while he waits', async () => {
    await buy(valid, 'payer', newcomerAt('shared'))
    const [first, others] = [createSlowAnswer(), createSlowAnswer()]
    const forge = (index: number) =>
      world.paySlowly(
        { address: 'shared', payer: `payer ${index}` },
        { verification: refused, answered: index === 0 ? first.answered : others.answered },
      )
    const storm = Array.from({ length: 16 }, (_, index) => forge(index))
    const bought = waitMs(buy)
    // This forgery takes the place that becomes free when the first forgery ends.
    storm.push(forge(16))
    first.give()
    const [kind, ms] = await bought
    expect([kind, Number(ms) <= 40]).to.deep.equal(['valid', true])
    others.give()
    await Promise.all(storm)
  })

  it('has eight tries for each purchase, and those of others in his name are none', async () => {
    await storm()
    expect(await buyOften(2, refused, 'other')).to.deep.equal(['forged', 'forged'])
    expect(await waitMs(async () => String(await buyOften(8, refused)))).to.deep.equal([
      `${Array(8).fill('refused')}`,
      0,
    ])
    expect((await waitMs(buy))[1], 'the ninth').to.be.within(1_000, 2_000)
    world.guard.noteBought('0xbb')
    expect(await waitMs(buy)).to.deep.equal(['valid', 0])
  })

  it('buys any number a second: signers that are his use up no budget', async () => {
    await storm()
    for (let turn = 0; turn < 100; turn++) {
      expect(await waitMs(buy)).to.deep.equal(['valid', 0])
      world.guard.noteBought('0xbb')
    }
    expect(world.recovered).to.equal(100)
  })

  it('has eight tries that come together, and again after an hour', async () => {
    await storm()
    const waited = await Promise.all(Array.from({ length: 10 }, () => waitMs(() => buy())))
    expect(waited.map(([kind]) => kind)).to.deep.equal(Array(10).fill('valid'))
    expect(waited.filter(([, ms]) => ms === 0)).to.have.length(8)
    world.clock.atMs += 3_600_000
    await storm()
    expect(await waitMs(buy)).to.deep.equal(['valid', 0])
  })

  it('does not count his refusals against his address', async () => {
    const refuseNewcomers = async (times: number) => {
      for (let turn = 0; turn < times; turn++) {
        expect(await buy(refused, 'payer', newcomerAt('shared'))).to.equal('refused')
        world.clock.atMs += 100
      }
    }
    const askNewcomer = () => waitMs(() => buy(refused, 'payer', newcomerAt('shared')))
    await refuseNewcomers(15)
    await buyOften(8, refused)
    await refuseNewcomers(15)
    expect(await askNewcomer(), 'the first beyond thirty').to.deep.equal(['refused', 0])
    expect((await askNewcomer())[1]).to.be.greaterThan(0)
  })

  it('is bound by his address where the signer cannot be told', async () => {
    await buy(refused, 'payer', newcomerAt('shared'))
    world.recovered = 0
    expect([await buy(valid, 'unknown'), world.recovered], 'and recovered once').to.deep.equal(['valid', 1])
    await storm()
    expect(await buy(valid, 'unknown')).to.equal('limited')
  })
})
