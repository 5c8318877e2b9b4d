/** What a buyer must not forget: the spending of the day, and the purchases that have no answer yet. */
import { z } from 'zod'

const openPurchaseSchema = z.strictObject({
  name: z.string(),
  /** Path and query of the request. */
  path: z.string(),
  usdMicros: z.int().min(0),
  /** The PAYMENT-SIGNATURE header. Whoever sends it gets the answer, so it must stay private. */
  payment: z.string(),
  signedAtMs: z.int().min(0),
})

export const spendingSchema = z.strictObject({
  /** The UTC day of `spentUsdMicros`: 2026-11-28. */
  day: z.string(),
  /** The amount of that day's purchases that are not open any more. */
  spentUsdMicros: z.int().min(0),
  /** The only receiver that is paid. Null: nobody was paid yet. */
  payTo: z.string().nullable(),
  /** The newest pass for the stream. */
  passToken: z.string().nullable(),
  open: z.array(openPurchaseSchema),
})

/** A purchase that was signed and may have been charged, and whose answer has not arrived. */
export type OpenPurchase = Readonly<z.output<typeof openPurchaseSchema>>

export type Spending = Readonly<z.output<typeof spendingSchema>>

/** Keeps the spending of one buyer. Only one client may use a store at a time. */
export type SpendingStore = Readonly<{
  /** Returns what was saved last, or null. */
  load(): Promise<Spending | null>
  /** Resolves when the spending would survive a crash. Calls never overlap. */
  save(spending: Spending): Promise<void>
  close(): Promise<void>
}>

/** A store that forgets everything when the process ends. */
export function createSpendingMemory(): SpendingStore {
  let kept: Spending | null = null
  return {
    load: async () => kept,
    save: async (spending) => {
      kept = spending
    },
    close: async () => {},
  }
}
