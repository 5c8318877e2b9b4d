import { expect } from 'chai'
import { createOwnLimit } from '../../../../api/payments/limits/own-limit.ts'
import { createRecovery } from '../../../../api/payments/limits/recovery.ts'
import type { Signer } from '../../../../api/payments/payment-network.ts'
import { createSleepingClock } from './guard-world.ts'

describe('the limit of a payer who has bought', () => {
  let clock: { atMs: number }
  let limit: ReturnType<typeof createOwnLimit>
  let recovered: number

  beforeEach(() => {
    const { clock: its, ...times } = createSleepingClock()
    clock = its
    recovered = 0
    const recovery = createRecovery({ ...times, perSecond: 120 })
    limit = createOwnLimit({ ...times, recovery, hasBought: (payer) => payer !== 'newcomer' })
  })

  const judge = (address: string, payer: string, signer: Signer | null = 'other') => {
    const recover = async () => {
      recovered += 1
      return signer as Signer
    }
    return limit.judge({ address, payer }, { signer: signer && recover, isGone: () => false })
  }

  it('lets a payer who signs wait behind one forgery in his name, whatever is forged in those of others', async () => {
    // The first forgeries use all turns that were saved up. One turn allows one signature check.
    const forged = Array.from({ length: 300 }, (_, index) => judge('shared', `payer ${index % 6}`))
    expect(await judge('shared', 'payer 7', 'payer')).to.equal('own')
    expect(recovered).to.be.within(31, 33)
    await Promise.all(forged)
  })

  it('has those of another address recovered in turn with a storm in the same names', async () => {
    const forged = Array.from({ length: 300 }, (_, index) => judge('storm', `payer ${index % 6}`))
    expect(await judge('elsewhere', 'payer 0', 'payer')).to.equal('own')
    expect(recovered).to.be.within(31, 33)
    await Promise.all(forged)
  })

  it('recovers 120 signers a second in all, and leaves undecided what waits longer than five', async () => {
    const judged = await Promise.all(Array.from({ length: 1_000 }, (_, index) => judge(`${index % 16}`, 'payer')))
    const late = judged.filter((verdict) => verdict === 'late').length
    expect(recovered).to.be.within(600, 632)
    expect(late).to.equal(1_000 - recovered)
    expect(clock.atMs - 1_000_000).to.be.within(5_000, 5_020)
  })

  it('recovers none of a newcomer, and none where the network has checked the signature', async () => {
    expect(await judge('shared', 'newcomer', 'payer')).to.equal(null)
    expect(await judge('shared', 'buyer', null)).to.equal('own')
    expect(recovered).to.equal(0)
  })
})
