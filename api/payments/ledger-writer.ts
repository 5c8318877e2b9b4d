/** Writing to the ledger around a settlement. Before the money moves a failure stops the sale; after it, nothing can. */
import type { Logger } from '../../infra/telemetry.ts'
import type { PaymentChanged } from '../../schemas/payments.ts'
import { isFenced, type PaymentLedger } from './ledger.ts'

export type LedgerWriter = Readonly<{
  /** True once it is written that the money may move: after a crash the chain is asked. False: do not settle. */
  announce: (settling: PaymentChanged) => Promise<boolean>
  /** What became of it. When the ledger does not take it, it still stands as announced and is found on the chain later. */
  note: (change: PaymentChanged) => Promise<void>
  /** That the answer arrived: at the next chance, for a crash that forgets it only keeps the answer for longer. */
  noteDelivered: (change: PaymentChanged) => Promise<void>
  /** Whether this process still owns the ledger: without it a process that sells nothing would not learn that another does. */
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
      tools.logger.error({ err: error, route, state, transaction }, 'the ledger of payments did not take a record')
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
    },
    confirm: async () => {
      try {
        await ledger.confirm()
      } catch (error) {
        if (isFenced(error)) tools.loseLedger()
        else tools.logger.warn({ err: error }, 'the ledger of payments cannot be reached; it is tried again')
      }
    },
  }
}
