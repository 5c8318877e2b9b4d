/** The periodic work of the payment gate. */

import type { DurationMs } from '../../schemas/units.ts'
import type { PaymentGate } from './payment.ts'

const checkMs = 15_000
/**
 * The interval of the work while payments are not live, in ms. It is short, so that a recovered facilitator
 * is noticed soon.
 */
const checkDownMs = 2_000

/**
 * Runs until the signal aborts. Searches the chain for payments whose outcome is unknown. Asks the
 * facilitators again which networks they support.
 */
export async function runPaymentUpkeep(
  gate: Pick<PaymentGate, 'refresh' | 'reconcile' | 'unavailable'>,
  sleep: (durationMs: DurationMs, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await gate.reconcile()
    await sleep(gate.unavailable() === null ? checkMs : checkDownMs, signal)
    if (!signal.aborted) await gate.refresh()
  }
}
