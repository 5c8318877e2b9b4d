/**
 * A contract may take the same bytes as its signature of any number of payments, and so may another contract. Facilitators find
 * a transfer that is under way by the bytes of its signature, and report it for all of these payments: so of bytes that several
 * payments have, the chain is believed and not the facilitator.
 */
import { SettleError, type SettleResponse } from '@x402/core/types'

/**
 * `isShared`: asked once it has answered. Each payment is in the ledger before it is handed over.
 *
 * What the facilitator says; of shared bytes without the transfer that it names, so that the chain is asked for it.
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
