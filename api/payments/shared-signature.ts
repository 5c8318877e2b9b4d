/**
 * A contract may accept the same bytes as its signature for any number of payments, and so may another contract.
 * Facilitators find a pending transfer by its signature bytes and report it for all payments with these bytes. So if
 * several payments share signature bytes, the chain decides and not the facilitator.
 */
import { SettleError, type SettleResponse } from '@x402/core/types'

/**
 * Returns the facilitator's answer. If the signature bytes are shared, the answer names no transaction, so that the
 * chain is asked.
 *
 * `isShared` is called once the facilitator has answered; every payment is in the ledger before it is handed over.
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
