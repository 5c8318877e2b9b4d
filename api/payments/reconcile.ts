/** Payments whose outcome is not known (a crash, a silent facilitator), looked for on their chain. */
import type { Logger } from '../../infra/telemetry.ts'
import type { PaymentLedger } from './ledger.ts'
import type { LedgerWriter } from './ledger-writer.ts'
import { changeOf, settlementOf } from './payment-change.ts'
import type { PaymentNetwork } from './payment-network.ts'

type ReconcileTools = Readonly<{
  ledger: PaymentLedger
  networks: readonly PaymentNetwork[]
  ledgerWriter: LedgerWriter
  /** A payment on its way is left to its flight. */
  isInFlight: (paymentId: string) => boolean
  /** Nothing may be written any more: the rest is left to whoever owns the ledger next. */
  isOver: () => boolean
  nowMs: () => number
  logger: Pick<Logger, 'info' | 'warn'>
}>

export async function reconcilePayments(tools: ReconcileTools): Promise<void> {
  const { ledger, networks, isInFlight, isOver, logger } = tools
  for (const payment of ledger.unresolved()) {
    if (isOver()) return
    const { paymentId, route, state } = payment
    const network = networks.find(({ network }) => network === payment.network)
    if (!network || isInFlight(paymentId)) continue
    const finding = await network.probe(payment).catch(() => null)
    if (finding === null) logger.warn({ route, state }, 'the chain cannot be asked about a payment')
    const settlement = finding && settlementOf(finding)
    // While the chain was asked a buyer may have repeated the payment and settled the matter.
    if (!settlement || isOver() || isInFlight(paymentId) || ledger.find(paymentId) !== payment) continue
    await tools.ledgerWriter.note(changeOf(payment, settlement, tools.nowMs()))
    logger.info({ route, outcome: settlement.kind }, 'a payment whose outcome was not known is resolved')
  }
}
