import { expect } from 'chai'
import type { Verification } from '../../../../api/payments/facilitator/verification.ts'
import type { Signer } from '../../../../api/payments/payment-network.ts'
import { guardWorld, refused, valid } from './guard-world.ts'

describe('the guard against forged payments', () => {
  const world = guardWorld(() => false)
  const clientAt = (address: string) => ({ address, payer: `payer of ${address}` })
  const pay = (from: string, ...payment: readonly [Verification, Signer?]) => world.pay(clientAt(from), ...payment)
  const payOften = (times: number, from: string, ...payment: readonly [Verification, Signer?]) =>
    world.payOften(times, clientAt(from), ...payment)

  it('recovers nothing for addresses without a refusal', async () => {
    await payOften(100, 'buyer', valid)
    expect([world.recovered, world.asked]).to.deep.equal([0, 100])
  })

  for (const first of [refused, { kind: 'failed' }, { kind: 'unanswered' }] as const)
    it(`recovers the signers of an address whose payment was ${first.kind}, for a minute, and of no other`, async () => {
      await pay('forger', first)
      expect(await pay('forger', refused, 'other')).to.equal('forged')
      expect(await pay('forger', valid)).to.equal('valid')
      expect(await pay('another', valid)).to.equal('valid')
      expect([world.recovered, world.asked]).to.deep.equal([2, 3])
      world.clock.atMs += 60_000
      await pay('forger', valid)
      expect(world.recovered).to.equal(2)
    })

  it('leaves to the facilitator what only it can tell', async () => {
    await pay('forger', refused)
    expect(await pay('forger', valid, 'unknown')).to.equal('valid')
  })

  it('recovers ten signers a second for one address, and says when to come back', async () => {
    await pay('forger', refused)
    expect(await payOften(12, 'forger', refused, 'other')).to.deep.equal([
      ...Array(10).fill('forged'),
      'limited',
      'limited',
    ])
    world.clock.atMs += 1_000
    expect(await pay('forger', valid)).to.equal('valid')
  })

  it('recovers forty signers a second in all, and lets strangers pass beyond that', async () => {
    for (let address = 0; address < 10; address++) await payOften(11, `forger ${address}`, refused, 'other')
    expect(world.recovered).to.equal(40)
    expect(await pay('buyer', valid)).to.equal('valid')
  })

  it('serves the buyers of an address from which six forged payments come each second', async () => {
    await pay('shared', refused)
    for (let turn = 0; turn < 360; turn++) {
      expect(await pay('shared', refused, 'other')).to.equal('forged')
      if (turn % 6 === 0) expect(await pay('shared', valid)).to.equal('valid')
      world.clock.atMs += 167
    }
    expect(world.asked).to.equal(61)
  })

  describe('after thirty refusals of an address by the facilitator', () => {
    beforeEach(async () => {
      for (let turn = 0; turn < 30; turn++) {
        await pay('forger', refused)
        world.clock.atMs += 100
      }
      world.asked = 0
    })

    it('lets one payment of it through every other second, until a minute is over', async () => {
      const passed: number[] = []
      for (let second = 0; second < 8; second++) {
        if ((await pay('forger', refused)) === 'refused') passed.push(second)
        world.clock.atMs += 1_000
      }
      expect(passed).to.deep.equal([0, 2, 4, 6])
      world.clock.atMs += 60_000
      expect(await payOften(2, 'forger', valid)).to.deep.equal(['valid', 'valid'])
    })

    it('says when to come back, and limits no other address', async () => {
      await pay('forger', refused)
      const verdict = await world.guard.verify(
        { address: 'forger', payer: '0x1' },
        { signer: expect.fail, verify: expect.fail },
      )
      expect(verdict).to.deep.equal({ kind: 'limited', reason: 'too_many_refused', retryAfterSec: 2 })
      expect(await pay('buyer', valid)).to.equal('valid')
    })

    it('keeps that place for who signed himself', async () => {
      world.clock.atMs += 1_000
      expect(await payOften(9, 'forger', refused, 'other')).to.deep.equal(Array(9).fill('forged'))
      expect(await pay('forger', valid)).to.equal('valid')
      world.clock.atMs += 2_000
      expect(await pay('forger', valid, 'unknown')).to.equal('limited')
      expect(world.asked).to.equal(1)
    })

    it('gives that place to one of many that come together', async () => {
      const kinds = await Promise.all(Array.from({ length: 5 }, () => pay('forger', valid)))
      expect(kinds.sort()).to.deep.equal(['limited', 'limited', 'limited', 'limited', 'valid'])
    })
  })

  it('counts a refused settlement like a refused payment', async () => {
    world.guard.noteRefused('forger')
    await pay('forger', valid)
    expect(world.recovered).to.equal(1)
  })

  it('recovers the signers of strangers while many strangers are refused, and still none of buyers', async () => {
    await pay('buyer', valid)
    for (let address = 0; address < 20; address++) await pay(`forger ${address}`, refused)
    expect(world.recovered).to.equal(0)
    expect(await pay('forger 20', refused, 'other')).to.equal('forged')
    expect(await pay('newcomer', valid)).to.equal('valid')
    expect(world.recovered).to.equal(2)
    expect(await pay('buyer', valid)).to.equal('valid')
    expect(world.recovered).to.equal(2)
  })

  it('asks about sixteen payments of strangers at once without recovering their signers', async () => {
    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    const slow = (address: number) =>
      world.guard.verify(
        { address: `stranger ${address}`, payer: '0x1' },
        {
          signer: async () => {
            world.recovered += 1
            return 'payer'
          },
          verify: async () => {
            await answered
            return valid
          },
        },
      )
    const verdicts = Array.from({ length: 20 }, (_, address) => slow(address))
    answer()
    expect((await Promise.all(verdicts)).map(({ kind }) => kind)).to.deep.equal(Array(20).fill('valid'))
    expect(world.recovered).to.equal(4)
  })

  it('takes no payment of an address or a payer for whom ten answers of a minute were made and not sold', async () => {
    const kindOf = async (address: string, payer: string) =>
      (await world.guard.verify({ address, payer }, { signer: expect.fail, verify: async () => valid })).kind
    for (let turn = 0; turn < 10; turn++) {
      expect(await kindOf('vanishing', '0xaa')).to.equal('valid')
      world.guard.noteUnsold({ address: 'vanishing', payer: '0xaa' })
    }
    expect(await kindOf('vanishing', '0xbb')).to.equal('limited')
    expect(await kindOf('elsewhere', '0xaa')).to.equal('limited')
    expect(await kindOf('elsewhere', '0xbb')).to.equal('valid')
    world.clock.atMs += 60_000
    expect(await kindOf('vanishing', '0xaa')).to.equal('valid')
  })

  it('has 256 payments of strangers checked at once, and those of buyers besides', async () => {
    await pay('buyer', valid)
    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    const verify = async () => {
      await answered
      return valid
    }
    const slow = (address: string) =>
      world.guard.verify({ address, payer: address }, { signer: async () => 'payer', verify })
    const waiting = Array.from({ length: 256 }, (_, index) => slow(`stranger ${index}`))
    expect(await slow('one more')).to.include({ kind: 'limited', reason: 'too_many_at_once' })
    const bought = slow('buyer')
    answer()
    expect((await bought).kind).to.equal('valid')
    expect(new Set((await Promise.all(waiting)).map(({ kind }) => kind))).to.deep.equal(new Set(['valid']))
    expect(await pay('one more', valid)).to.equal('valid')
  })
})
