/**
 * Writes the records of a payment before and after its settlement. A failed write before the settlement stops the sale. A failed write
 * after the settlement does not.
 */
import { crashPoint } from '../../../infra/crash-points.ts'
import type { Logger } from '../../../infra/telemetry.ts'
import type { PaymentChanged } from '../../../schemas/payments.ts'
import { isFenced, type PaymentLedger } from './ledger.ts'

export type LedgerWriter = Readonly<{
  /**
   * Records a change before its effect: that the money may move, or the date of an answer that is about to be sent.
   * Returns false if the write failed. The payment must then not be settled, and the answer must not be sent.
   */
  announce: (change: PaymentChanged) => Promise<boolean>
  /**
   * Applies the outcome of the settlement, and records it. If a crash or a failed write loses the record, the log keeps
   * the earlier one, and the payment is reconciled with the chain later. So the buyer need not wait for this record.
   */
  note: (change: PaymentChanged) => Promise<void>
  /**
   * Records that the client received the answer. The record is written together with the next change. If a
   * crash loses the record, the only effect is that the answer is kept longer.
   */
  noteDelivered: (change: PaymentChanged) => Promise<void>
  /**
   * Checks that this process still owns the ledger. Without this check, a process that sells nothing would
   * not notice that another process has become the owner.
   */
  confirm: () => Promise<void>
}>

export function createLedgerWriter(
  tools: Readonly<{ ledger: PaymentLedger; logger: Pick<Logger, 'warn' | 'error'>; loseLedger: () => void }>,
): LedgerWriter {
  const { ledger } = tools
  const taken = async (change: PaymentChanged, record: PaymentLedger['record']): Promise<boolean> => {
    try {
      await record(change)
      return true
    } catch (error) {
      if (isFenced(error)) tools.loseLedger()
      const { route, state, transaction } = change
      tools.logger.error(
        { err: error, route, state, transaction },
        'a record of a payment could not be written to the payment ledger',
      )
      return false
    }
  }
  return {
    announce: (change) => taken(change, ledger.record),
    note: async (change) => {
      await taken(change, ledger.applyAndRecord)
      crashPoint('payment-settled-recorded')
    },
    noteDelivered: async (change) => {
      await taken(change, ledger.recordWithNext)
      crashPoint('payment-delivered-recorded')
    },
    confirm: async () => {
      try {
        await ledger.confirm()
      } catch (error) {
        if (isFenced(error)) tools.loseLedger()
        else
          tools.logger.warn({ err: error }, 'the payment ledger cannot be reached. The next check is in some seconds')
      }
    },
  }
}
