/** A payment gate for replays: every answer is free, and no chain or facilitator is called. */
import { randomUUID } from 'node:crypto'
import type { PaymentGate, UnavailableOutcome } from '../payments/payment.ts'

/** The answer to a HEAD request, which clients send to learn the price of a route. */
const nothingToPay: UnavailableOutcome = {
  ...{ kind: 'unavailable', code: 'payments_not_live', reason: 'facilitator_down' },
  ...{ message: 'a replay charges nothing, so its routes have no price. Use GET', retryAfterSec: 1 },
}

export function createFreeGate(): PaymentGate {
  return {
    unavailable: () => null,
    requirePayment: async () => nothingToPay,
    async run(request) {
      const paymentId = randomUUID()
      try {
        const body = await request.buildBody(paymentId, request.isClientGone)
        return { kind: 'paid', paymentId, receiptHeader: null, ...body }
      } catch (error) {
        return { kind: 'handlerFailed', error }
      }
    },
    isOwed: () => false,
    markDelivered: () => {},
    stats: () => ({
      ...{ totals: { n: 0, usd: 0 }, days: [], payFailures: [] },
      settlements: { waiting: 0, found: 0, missing: 0, unchecked: 0 },
    }),
    describe: () => ({ protocol: 'x402', version: 2, scheme: 'exact', isLive: false, networks: [] }),
    clockDifferences: () => [],
    reconcile: async () => {},
    refresh: async () => {},
    close: async () => {},
  }
}
