/** What has to happen to payments while nobody asks. */
import type { PaymentGate } from './payment.ts'

const checkMs = 15_000
/** A facilitator that was down is noticed this soon after it is back. */
const checkDownMs = 2_000

/** Asks the facilitator what it supports and the chain about open payments, again and again until the signal aborts. */
export async function runPaymentUpkeep(
  gate: Pick<PaymentGate, 'refresh' | 'reconcile' | 'unavailable'>,
  sleep: (durationMs: number, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await gate.reconcile()
    await sleep(gate.unavailable() === null ? checkMs : checkDownMs, signal)
    if (!signal.aborted) await gate.refresh()
  }
}
