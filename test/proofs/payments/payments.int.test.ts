/** A sample of `npm run payments` on the local chains. */
import { expect } from 'chai'
import { type LocalPayments, startLocalPayments } from '../../../infra/development/payments/start-local-payments.ts'
import { brokenPromises } from './history.ts'
import { openLocalChains } from './local-chains.ts'
import { planOf } from './plan.ts'
import { playOnLocalChains } from './prove.ts'

describe('payments in any order of copies, hang-ups, crashes and faults on local chains', function () {
  this.timeout(300_000)
  let payments: LocalPayments
  before(async () => {
    payments = await startLocalPayments()
  })
  after(() => payments?.stop())

  it('move money once at most, buy one answer, and can be cashed in for ten minutes, across restarts', async () => {
    const openChains = await openLocalChains(payments)
    const seeds = Array.from({ length: 12 }, (_, index) => 100 + index)
    const histories = await Promise.all(seeds.map((seed) => playOnLocalChains(planOf(seed), openChains)))
    for (const [index, history] of histories.entries())
      expect(brokenPromises(history), `seed ${seeds[index]}`).to.deep.equal([])
    expect(histories.flatMap(({ transfers }) => transfers)).not.to.deep.equal([])
  })
})
