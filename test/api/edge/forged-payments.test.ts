import { decodePaymentRequiredHeader } from '@x402/core/http'
import { expect } from 'chai'
import { type ForgeryKind, forge, forgeryKinds } from '../../support/payments/forgeries.ts'
import { sign, toHeader } from '../../support/payments/paid-service.ts'
import { burstsPath, edgeOfTests } from '../edge.ts'

describe('a storm of forged payments', () => {
  const edge = edgeOfTests()

  const send = (payment: string | null, address: string) =>
    edge.get(burstsPath, {
      headers: { 'x-forwarded-for': address, ...(payment === null ? {} : { 'payment-signature': payment }) },
    })
  const signAnew = async (address: string) => {
    const quote = await send(null, address)
    expect(quote.status).to.equal(402)
    return sign(decodePaymentRequiredHeader(quote.headers.get('payment-required') as string))
  }
  /**
   * Sets how the facilitator answers the next `count` forged payments. It answers in four different ways, one
   * after the other.
   */
  const failVerifies = (count: number) => {
    for (let turn = 0; turn < count; turn++)
      edge.double.forgeryFaults.push((['ok', 'unexpected', 'error500', 'drop'] as const)[turn % 4] ?? 'ok')
  }

  const buyer = '198.51.100.9'
  const buy = async () => (await send(toHeader(await signAnew(buyer)).header, buyer)).status

  const storms: readonly (readonly [string, (index: number) => string])[] = [
    ['of one address', () => '203.0.113.5'],
    ['of many addresses', (index) => `203.0.113.${index}`],
    ['of one customer with many IPv6 addresses', (index) => `2001:db8:0:7::${index + 1}`],
    ['of the address of a payer who has bought', () => buyer],
  ]
  for (const [name, addressOf] of storms)
    for (const kind of forgeryKinds)
      it(`${name} (${kind}) hurts no buyer and no quote`, async () => {
        if (addressOf(0) === buyer) expect(await buy()).to.equal(200)
        failVerifies(100)
        const honest = await signAnew(buyer)
        const forged = Array.from({ length: 60 }, async (_, index) =>
          send(await forge(honest, kind satisfies ForgeryKind), addressOf(index)),
        )
        for (let turn = 0; turn < 8; turn++) expect([turn, await buy()]).to.deep.equal([turn, 200])
        const statuses = (await Promise.all(forged)).map(({ status }) => status)
        expect(statuses.filter((status) => ![402, 503].includes(status))).to.deep.equal([])
        edge.double.forgeryFaults.length = 0
      })
})
