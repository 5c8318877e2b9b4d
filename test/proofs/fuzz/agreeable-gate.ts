/** A double of the payment gate that accepts every payment and takes no money, so that tests reach the routes behind it. */
import { encodePaymentRequiredHeader, encodePaymentResponseHeader } from '@x402/core/http'
import type { PaidResource, PaymentGate, PaymentRequiredOutcome } from '../../../api/payments/payment.ts'

const network = 'eip155:8453'
const payTo = `0x${'11'.repeat(20)}`
const asset = `0x${'22'.repeat(20)}`

function requirePayment({ priceUsdMicros, description, resourcePath }: PaidResource): PaymentRequiredOutcome {
  const body = {
    x402Version: 2,
    error: 'This call costs money',
    resource: { url: `https://data.example${resourcePath}`, description, mimeType: 'application/json' },
    accepts: [
      { scheme: 'exact', network, asset, amount: String(priceUsdMicros), payTo, maxTimeoutSeconds: 120, extra: {} },
    ],
  } as const
  const required = { ...body, accepts: [...body.accepts] }
  return {
    ...{ kind: 'paymentRequired', code: 'payment_required', body: required, receiptHeader: null },
    header: encodePaymentRequiredHeader(required),
  }
}

export function createAgreeableGate(): PaymentGate {
  let count = 0
  const receiptHeader = encodePaymentResponseHeader({ success: true, transaction: '0x00', network })
  return {
    unavailable: () => null,
    requirePayment: async (resource) => requirePayment(resource),
    async run(request) {
      if (request.payment === null) return requirePayment(request)
      count += 1
      const paymentId = `agreed ${count}`
      const body = await request.buildBody(paymentId, request.isClientGone)
      return { kind: 'paid', paymentId, receiptHeader, ...body }
    },
    isOwed: () => false,
    markDelivered: () => {},
    stats: () => ({
      totals: { n: 0, usd: 0 },
      days: [],
      payFailures: [],
      settlements: { waiting: 0, found: 0, missing: 0, unchecked: 0 },
    }),
    describe: () => ({ protocol: 'x402', version: 2, scheme: 'exact', isLive: true, networks: [] }),
    clockDifferences: () => [],
    reconcile: async () => {},
    refresh: async () => {},
    close: async () => {},
  }
}
