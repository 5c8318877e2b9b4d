import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import type { Verification } from '../../../../api/payments/facilitator/verification.ts'
import type { Signer } from '../../../../api/payments/payment-network.ts'
import { createSlowAnswer, guardWorld, refused, valid } from './guard-world.ts'

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

  it('recovers sixty signers a second in all, and each address has its turn', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, index) => pay(`forger ${index}`, refused)))
    world.recovered = 0
    const startedAtMs = world.clock.atMs
    const storm = Array.from({ length: 320 }, (_, index) => pay(`forger ${index % 20}`, refused, 'other'))
    expect(await pay('newcomer', valid)).to.equal('valid')
    expect(world.clock.atMs - startedAtMs).to.be.lessThan(400)
    const kinds = await Promise.all(storm)
    expect(world.recovered).to.be.within(300, 316)
    expect(kinds.filter((kind) => kind === 'limited')).to.have.length(321 - world.recovered)
  })

  it('lets pass without it who has sent nothing bad and whose turn does not come', async () => {
    for (let address = 0; address < 400; address++) void pay(`forger ${address}`, refused, 'other')
    expect(await pay('newcomer', valid)).to.equal('valid')
    expect(world.clock.atMs).to.be.within(1_005_000, 1_005_100)
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
      const startedAtMs = world.clock.atMs
      const passed = Array.from({ length: 10 }, async () => {
        const kind = await pay('forger', refused)
        return [kind, Math.round((world.clock.atMs - startedAtMs) / 1_000)]
      })
      const outcomes = await Promise.all(passed)
      expect(outcomes.filter(([kind]) => kind === 'refused')).to.have.length(world.asked)
      expect(world.asked).to.be.within(5, 10)
      expect(outcomes.filter(([kind]) => kind === 'limited')).to.have.length(10 - world.asked)
      world.clock.atMs += 60_000
      world.clock.atMs += 60_000
      expect(await payOften(2, 'forger', valid)).to.deep.equal(['valid', 'valid'])
    })

    it('limits no other address', async () => {
      const beforeMs = world.clock.atMs
      await pay('buyer', valid)
      expect(world.clock.atMs).to.equal(beforeMs)
    })

    it('says when to come back to whose turn did not come within ten seconds', async () => {
      const storm = Array.from({ length: 30 }, () => pay('forger', refused))
      const startedAtMs = world.clock.atMs
      const verdict = await world.guard.verify(
        { address: 'forger', payer: 'payer of forger' },
        { signer: async () => 'payer', isGone: () => false, hasFunds: null, verify: expect.fail },
      )
      expect(verdict).to.deep.equal({ kind: 'limited', reason: 'too_many_at_once', retryAfterSec: 2 })
      expect(world.clock.atMs - startedAtMs).to.be.within(10_000, 11_000)
      await Promise.all(storm)
    })

    it('first lets through who has money, of whom a node says so, beside ever new payers who have none', async () => {
      let asked = 0
      const payAs = (payer: string, isRich: boolean) =>
        world.paySlowly(
          { address: 'forger', payer },
          {
            verification: isRich ? valid : refused,
            hasFunds: async () => {
              asked += 1
              return isRich
            },
          },
        )
      const storm = Array.from({ length: 100 }, (_, index) => payAs(`payer ${index}`, false))
      const startedAtMs = world.clock.atMs
      const bought = payAs('a newcomer', true)
      // These payments are newer, but their place in the queue is before `bought`.
      const more = Array.from({ length: 100 }, (_, index) => payAs(`later payer ${index}`, false))
      expect(await bought).to.equal('valid')
      expect(world.clock.atMs - startedAtMs).to.be.at.most(6_000)
      await Promise.all([...storm, ...more])
      expect(asked).to.be.within(100, 201)
    })

    it('takes the turns as they come where no node can be asked', async () => {
      const hasFunds = async () => {
        throw new TypeError('no node')
      }
      expect(await world.paySlowly(clientAt('forger'), { hasFunds })).to.equal('valid')
    })

    it('keeps its turns for who signed himself, first for who has had none', async () => {
      const storm = Array.from({ length: 60 }, () => pay('forger', refused))
      const startedAtMs = world.clock.atMs
      expect(await world.pay({ address: 'forger', payer: 'a newcomer' }, valid)).to.equal('valid')
      expect(world.clock.atMs - startedAtMs).to.be.at.most(4_100)
      expect(await payOften(9, 'forger', refused, 'other')).to.deep.equal(Array(9).fill('forged'))
      expect(await pay('forger', valid, 'unknown')).to.equal('limited')
      await Promise.all(storm)
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
    const { answered, give } = createSlowAnswer()
    const verdicts = Array.from({ length: 20 }, (_, address) =>
      world.paySlowly(clientAt(`stranger ${address}`), { answered }),
    )
    give()
    expect(await Promise.all(verdicts)).to.deep.equal(Array(20).fill('valid'))
    expect(world.recovered).to.equal(4)
  })

  it('takes no payment of a payer for whom ten answers of a minute were made and not sold', async () => {
    const kindOf = (address: string, payer: string) => world.pay({ address, payer }, valid)
    for (let turn = 0; turn < 10; turn++) {
      expect(await kindOf('vanishing', '0xaa')).to.equal('valid')
      world.guard.noteUnsold({ address: 'vanishing', payer: '0xaa' })
    }
    expect(await kindOf('elsewhere', '0xaa')).to.equal('limited')
    expect(await kindOf('elsewhere', '0xbb')).to.equal('valid')
    world.clock.atMs += 60_000
    expect(await kindOf('vanishing', '0xaa')).to.equal('valid')
  })

  it('lets one payment every other second through at an address for which ten answers were not sold', async () => {
    for (let turn = 0; turn < 10; turn++) world.guard.noteUnsold({ address: 'vanishing', payer: `payer ${turn}` })
    const startedAtMs = world.clock.atMs
    expect(await payOften(3, 'vanishing', valid)).to.deep.equal(Array(3).fill('valid'))
    expect(world.clock.atMs - startedAtMs).to.be.within(2_000, 4_000)
  })

  it('counts questions from their start: of 250 at once it asks thirty in a minute, four of them at once', async () => {
    const startedAtMs = world.clock.atMs
    let most = 0
    const penniless = Array.from({ length: 250 }, async (_, index) => {
      const kind = await world.paySlowly({ address: 'shared', payer: `payer ${index}` }, { verification: refused })
      most = Math.max(most, world.askedAtOnce)
      return kind
    })
    const kinds = await Promise.all(penniless)
    // The facilitator can be asked about one waiting payment every two seconds.
    expect(world.asked).to.be.within(30, 40)
    expect(kinds.filter((kind) => kind === 'limited')).to.have.length(250 - world.asked)
    expect(world.clock.atMs - startedAtMs).to.be.within(10_000, 15_500)
    expect(most).to.be.at.most(4)
  })

  it('counts those under way among the thirty', async () => {
    for (let turn = 0; turn < 29; turn++) {
      await pay('forger', refused)
      world.clock.atMs += 100
    }
    const { answered, give } = createSlowAnswer()
    const waiting = Array.from({ length: 4 }, () => world.paySlowly(clientAt('forger'), { answered }))
    await setImmediate()
    // Two requests to the facilitator are open: the thirtieth request, and the first request above the limit
    // of thirty.
    expect(world.askedAtOnce).to.equal(2)
    give()
    await Promise.all(waiting)
  })

  it('asks a newcomer elsewhere at once while 600 payments of one address wait for a slow facilitator', async () => {
    const { answered, give } = createSlowAnswer()
    const storm = Array.from({ length: 600 }, (_, index) =>
      world.paySlowly({ address: 'shared', payer: `payer ${index}` }, { answered }),
    )
    await setImmediate()
    expect([world.askedAtOnce, await pay('elsewhere', valid)]).to.deep.equal([4, 'valid'])
    give()
    await Promise.all(storm)
  })

  it('has 256 payments of strangers checked at once, and those of buyers besides', async () => {
    await pay('buyer', valid)
    const { answered, give } = createSlowAnswer()
    const waiting = Array.from({ length: 256 }, (_, index) =>
      world.paySlowly(clientAt(`stranger ${index}`), { answered, signer: null }),
    )
    expect(await pay('one more', valid)).to.equal('limited')
    expect(world.askedAtOnce).to.equal(256)
    expect(await pay('buyer', valid)).to.equal('valid')
    give()
    expect(await Promise.all(waiting)).to.deep.equal(Array(256).fill('valid'))
    expect(await pay('one more', valid)).to.equal('valid')
  })

  it('has sixteen payments at once of an address at which somebody has bought', async () => {
    await pay('shared', valid)
    const { answered, give } = createSlowAnswer()
    const waiting = Array.from({ length: 40 }, (_, index) =>
      world.paySlowly({ address: 'shared', payer: `payer ${index}` }, { answered }),
    )
    await setImmediate()
    expect(world.askedAtOnce).to.equal(16)
    give()
    expect(await Promise.all(waiting)).to.deep.equal(Array(40).fill('valid'))
  })
})
