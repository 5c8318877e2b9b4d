/**
 * Searches the chain for payments whose outcome is unknown. The outcome can be unknown after a crash of the
 * service or a timeout of the facilitator.
 */
import type { Logger } from '../../../infra/telemetry.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import type { PaymentNetwork } from '../payment-network.ts'
import type { PaymentLedger } from './ledger.ts'
import type { LedgerWriter } from './ledger-writer.ts'
import { changeOf, settlementOf } from './payment-change.ts'

type ReconcileDependencies = Readonly<{
  ledger: PaymentLedger
  networks: readonly PaymentNetwork[]
  ledgerWriter: LedgerWriter
  /** Whether a purchase of the payment is running. A running purchase resolves its payment itself. */
  isInFlight: (paymentId: string) => boolean
  /** Whether this process no longer owns the ledger. The next owner then reconciles the rest. */
  isOver: () => boolean
  nowMs: () => EpochMs
  logger: Pick<Logger, 'info' | 'warn'>
}>

export async function reconcilePayments(dependencies: ReconcileDependencies): Promise<void> {
  const { ledger, networks, isInFlight, isOver, logger } = dependencies
  for (const payment of ledger.unresolved()) {
    if (isOver()) return
    const { paymentId, route, state } = payment
    const network = networks.find(({ network }) => network === payment.network)
    if (!network || isInFlight(paymentId)) continue
    const finding = await network.probe(payment).catch(() => null)
    if (finding === null)
      logger.warn(
        { route, state },
        'the service could not search the chain for the transfer of a payment. The outcome of the payment stays unknown until the next search',
      )
    const settlement = finding && settlementOf(finding)
    // The buyer may have repeated the payment during the search. That purchase then determines the outcome.
    if (!settlement || isOver() || isInFlight(paymentId) || ledger.find(paymentId) !== payment) continue
    await dependencies.ledgerWriter.note(changeOf(payment, settlement, dependencies.nowMs()))
    logger.info({ route, outcome: settlement.kind }, 'a payment whose outcome was not known is resolved')
  }
}
