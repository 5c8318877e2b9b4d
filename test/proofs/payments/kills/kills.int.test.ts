/** A sample of `npm run payments:kill`. */
import { expect } from 'chai'
import { type LocalPayments, startLocalPayments } from '../../../../infra/development/payments/start-local-payments.ts'
import { type KilledService, startKilledService } from './kill-service.ts'
import { localMoney } from './local-money.ts'
import { moments } from './moments.ts'

const sample = ['settleAnswered', 'bytesBegun'] as const

describe('a service that is killed in the middle of a payment', function () {
  this.timeout(300_000)
  let payments: LocalPayments
  let services: Readonly<Record<string, KilledService>>

  before(async () => {
    payments = await startLocalPayments()
    const started = Object.entries(await localMoney(payments)).map(
      async ([chain, money]) => [chain, await startKilledService(money)] as const,
    )
    services = Object.fromEntries(await Promise.all(started))
  })
  after(async () => {
    await Promise.all(Object.values(services ?? {}).map((service) => service.stop()))
    await payments?.stop()
  })

  for (const moment of moments.filter(({ at }) => sample.some((each) => each === at)))
    it(`moves the money once and gives one answer, ${moment.name}`, async () => {
      const wrong = Object.entries(services).map(async ([chain, service]) => [chain, await service.killAt(moment)])
      for (const [chain, sentences] of await Promise.all(wrong)) expect(sentences, String(chain)).to.deep.equal([])
    })
})
