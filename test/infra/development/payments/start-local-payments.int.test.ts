import { expect } from 'chai'
import { createLocalFacilitator } from '../../../../infra/development/payments/local-facilitator.ts'
import { startLocalPayments } from '../../../../infra/development/payments/start-local-payments.ts'

describe('local payments', () => {
  it('give the buyer money, the seller none, and serve x402 over HTTP', async () => {
    const money = await startLocalPayments()
    try {
      expect(await money.usdcBalanceOf(money.buyer)).to.equal(1_000_000_000_000n)
      expect(await money.usdcBalanceOf(money.payTo)).to.equal(0n)
      const supported: unknown = await (await fetch(`${money.facilitatorUrl}/supported`)).json()
      expect(supported).to.deep.equal(await createLocalFacilitator({ ...money, clock: money }).getSupported())
      const bad = await fetch(`${money.facilitatorUrl}/settle`, { method: 'POST', body: 'not json' })
      expect([bad.status, await bad.json()]).to.deep.equal([500, { error: 'SyntaxError' }])
    } finally {
      await money.stop()
    }
  })

  it('leave nothing running', async () => {
    const money = await startLocalPayments()
    await money.stop()
    for (const url of [money.facilitatorUrl, money.rpcUrl])
      expect(await fetch(url, { method: 'POST' }).catch(() => 'gone')).to.equal('gone')
  })
})
