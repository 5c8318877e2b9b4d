import type { PaymentPayload } from '@x402/core/types'
import { expect } from 'chai'
import { createHttpFacilitator } from '../../../../api/payments/facilitator/http-facilitator.ts'
import { type GuardedFacilitator, startGuardedFacilitator } from '../../../support/guarded-facilitator.ts'

const accepted: PaymentPayload['accepted'] = {
  ...{ scheme: 'exact', network: 'eip155:8453', asset: '0x', amount: '1', payTo: '0x' },
  ...{ maxTimeoutSeconds: 60, extra: {} },
}
const payload: PaymentPayload = { x402Version: 2, accepted, payload: {} }

describe('a facilitator over HTTP', () => {
  const paths = ['/supported', '/verify', '/settle']
  let door: GuardedFacilitator

  const askAll = async (auth: Readonly<{ name: string; value: string }> | null) => {
    const facilitator = createHttpFacilitator({ url: door.url, auth })
    const calls = [facilitator.getSupported, () => facilitator.verify(payload, accepted)]
    const failures: Error[] = []
    for (const call of [...calls, () => facilitator.settle(payload, accepted)])
      await call().catch((error) => failures.push(error))
    return failures
  }

  for (const [name, auth] of [
    ['Authorization', { name: 'Authorization', value: 'Bearer a-token-of-ours' }],
    ['X-API-Key', { name: 'X-API-Key', value: 'a key of ours' }],
  ] as const) {
    it(`is shown ${name} with every question`, async () => {
      door = await startGuardedFacilitator(name)
      Object.assign(door.wants, { paths, value: auth.value })
      expect(await askAll(auth)).to.deep.equal([])
      expect(door.asked).to.deep.equal(paths.map((path) => `${path} ${auth.value}`))
      await door.stop()
    })

    it(`that refuses ${name} and repeats it makes no error that shows it`, async () => {
      door = await startGuardedFacilitator(name)
      Object.assign(door.wants, { paths, value: 'another' })
      const failures = await askAll(auth)
      expect(failures.map(({ message }) => /\(401\).*no entry with/.test(message))).to.deep.equal([true, true, true])
      for (const { message, stack, cause } of failures)
        expect(`${message} ${stack} ${cause}`).to.not.match(/a-token-of-ours|a key of ours/)
      await door.stop()
    })
  }

  it("of one's own is shown nothing", async () => {
    door = await startGuardedFacilitator('Authorization')
    expect(await askAll(null)).to.deep.equal([])
    expect(door.asked).to.deep.equal(paths.map((path) => `${path} none`))
    await door.stop()
  })
})
