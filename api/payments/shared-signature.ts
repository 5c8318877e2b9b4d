/**
 * Handles signatures that several payments share. Contracts may accept the same bytes as their signature for
 * any number of payments. Facilitators find a pending transfer by its signature bytes, and report the
 * transfer for all payments with these bytes. So for shared signature bytes, the chain decides whether a
 * payment was settled.
 */
import { SettleError, type SettleResponse } from '@x402/core/types'

/**
 * Returns the facilitator's answer. If other payments have the same signature bytes, the answer names no
 * transaction, so that the chain is searched.
 *
 * `isShared` is called after the facilitator has answered. Every payment is in the ledger before it is sent
 * to a facilitator. So `isShared` finds all payments that the facilitator can confuse.
 */
export async function believed(settled: Promise<SettleResponse>, isShared: () => boolean): Promise<SettleResponse> {
  const answer = await settled.catch((error: unknown) => {
    if (isShared() && error instanceof SettleError && error.transaction) return pendingOn(error.network)
    throw error
  })
  return isShared() && answer.transaction ? pendingOn(answer.network) : answer
}

const pendingOn = (network: SettleResponse['network']): SettleResponse => ({
  success: false,
  errorReason: 'settlement_pending',
  transaction: '',
  network,
})
