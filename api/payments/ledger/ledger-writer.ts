/**
 * Writes to the ledger around a settlement. A failure before the money moves stops the sale; a failure after it does
 * not.
 */
import { crashPoint } from '../../../infra/crash-points.ts'
import type { Logger } from '../../../infra/telemetry.ts'
import type { PaymentChanged } from '../../../schemas/payments.ts'
import { isFenced, type PaymentLedger } from './ledger.ts'

export type LedgerWriter = Readonly<{
  /**
   * True once the ledger holds that the money may move, so that the chain is asked after a crash. False: do not settle.
   */
  announce: (settling: PaymentChanged) => Promise<boolean>
  /** Records the outcome. If the write fails, the payment stays announced and is reconciled with the chain later. */
  note: (change: PaymentChanged) => Promise<void>
  /** Records that the answer arrived, with the next change. If a crash loses this, the answer is only kept longer. */
  noteDelivered: (change: PaymentChanged) => Promise<void>
  /** Checks that this process still owns the ledger. A process that sells nothing would not notice otherwise. */
  confirm: () => Promise<void>
}>

export function createLedgerWriter(
  tools: Readonly<{ ledger: PaymentLedger; logger: Pick<Logger, 'warn' | 'error'>; loseLedger: () => void }>,
): LedgerWriter {
  const { ledger } = tools
  const taken = async (change: PaymentChanged, recorded: Promise<void>): Promise<boolean> => {
    try {
      await recorded
      return true
    } catch (error) {
      if (isFenced(error)) tools.loseLedger()
      const { route, state, transaction } = change
      tools.logger.error(
        { err: error, route, state, transaction },
        'a record could not be written to the ledger of payments',
      )
      return false
    }
  }
  return {
    announce: (settling) => taken(settling, ledger.record(settling)),
    note: async (change) => {
      await taken(change, ledger.record(change))
    },
    noteDelivered: async (change) => {
      await taken(change, ledger.recordWithNext(change))
      crashPoint('payment-delivered-recorded')
    },
    confirm: async () => {
      try {
        await ledger.confirm()
      } catch (error) {
        if (isFenced(error)) tools.loseLedger()
        else
          tools.logger.warn(
            { err: error },
            'the ledger of payments cannot be reached; the next check is in some seconds',
          )
      }
    },
  }
}
