import type { x402ResourceServer } from '@x402/core/server'
import { type PaymentPayload, type PaymentRequirements, VerifyError, type VerifyResponse } from '@x402/core/types'
import { expect } from 'chai'
import { verifyPayment } from '../../../../api/payments/facilitator/verification.ts'

const payload = {} as PaymentPayload
const requirements = {} as PaymentRequirements

const verify = (answer: VerifyResponse | Error | string | null) => {
  const verifyAt = async (...asked: unknown[]) => {
    expect(asked).to.deep.equal([payload, requirements])
    if (typeof answer === 'string' || answer === null || answer instanceof Error) throw answer
    return answer
  }
  return verifyPayment({ verifyPayment: verifyAt } as unknown as x402ResourceServer, payload, requirements)
}
const invalid = (invalidReason?: string): VerifyResponse => ({
  isValid: false,
  ...(invalidReason === undefined ? {} : { invalidReason }),
})
const plain = (status: number | string) => new TypeError(`Facilitator verify failed (${status}): <html>`)

describe('the verification of a payment', () => {
  it('takes what the facilitator calls valid', async () => {
    expect(await verify({ isValid: true })).to.deep.equal({ kind: 'valid' })
  })

  for (const [name, answer, reason] of [
    ['with a reason', invalid('insufficient_funds'), 'insufficient_funds'],
    ['without a reason', invalid(), 'invalid_payment'],
    ['with a dump', invalid('Error: at /srv/index.js'), 'settle_failed'],
    ['with a reason about what is unexpected', invalid('an_unexpected_nonce'), 'an_unexpected_nonce'],
    ['with the status 400', new VerifyError(400, invalid('insufficient_funds')), 'insufficient_funds'],
    ['with the status 499 and no reason', new VerifyError(499, invalid()), 'invalid_payment'],
  ] as const)
    it(`is refused ${name}`, async () => {
      expect(await verify(answer)).to.deep.equal({ kind: 'refused', reason })
    })

  for (const [name, answer] of [
    ['an answer that tells of something unexpected', invalid('unexpected_verify_error')],
    ['the same with the status 400', new VerifyError(400, invalid('unexpected_error'))],
    ['the status 500, whatever reason is given', new VerifyError(500, invalid('insufficient_funds'))],
    ['the status 500 in other words', plain(500)],
    ['the status 404 in other words', plain(404)],
    ['the status 505 in other words', plain(505)],
  ] as const)
    it(`tells nothing of the facilitator by ${name}`, async () => {
      expect(await verify(answer)).to.deep.equal({ kind: 'failed' })
    })

  for (const [name, answer] of [
    ['a gateway that has nobody behind it (502)', plain(502)],
    ['a gateway that has nobody behind it (503)', plain(503)],
    ['a gateway that waited for too long (504)', plain(504)],
    ['a dropped connection', new TypeError('fetch failed')],
    ['a status that stands elsewhere in the text', new TypeError('lost: Facilitator verify failed (500)')],
    ['no number for a status', plain('50')],
    ['something that is no error', 'Facilitator verify failed (500): text'],
    ['nothing at all', null],
  ] as const)
    it(`counts as unanswered by ${name}`, async () => {
      expect(await verify(answer)).to.deep.equal({ kind: 'unanswered' })
    })
})
