/**
 * The ledger of payments: a fold of topic `payments`, written by one owner. A payment enters it right before it is handed to
 * the facilitator, and leaves memory when it can no longer be spent.
 */
import { OperationError } from '../../infra/errors.ts'
import type { Log, LogWriter } from '../../infra/log/log.ts'
import type { SchemaCodec } from '../../infra/schema-codec.ts'
import type { PaymentChanged } from '../../schemas/payments.ts'
import { createGroupAppend } from './group-append.ts'
import { createStatsFold, type StatsFold } from './payment-stats.ts'

export type PaymentRecord = Readonly<{ type: 'PaymentChanged'; data: PaymentChanged }>

export type PaymentLedger = Readonly<{
  find: (paymentId: string) => PaymentChanged | undefined
  /** Payments handed over whose outcome is not known: to be looked for on the chain. */
  unresolved: () => readonly PaymentChanged[]
  /** Durable when it resolves. Fails with `writer_fenced` for good once another process owns the ledger. */
  record: (change: PaymentChanged) => Promise<void>
  /** Forgets payments that can no longer be spent; their ids are returned. */
  sweep: () => readonly string[]
  stats: StatsFold['read']
  close: () => Promise<void>
}>

const writerId = 'payments'
const position = { topic: 'payments', partition: 0 } as const

/** Takes the ledger over (its previous owner is fenced) and folds what stands in it. */
export async function openPaymentLedger(
  options: Readonly<{ log: Log; codec: SchemaCodec<PaymentRecord>; nowMs: () => number }>,
): Promise<PaymentLedger> {
  const { log, codec, nowMs } = options
  let writer: LogWriter | null = await log.openWriter(writerId, { isTransactional: false })
  const fold = createLedgerFold()
  await readAll(log, codec, fold)

  const append = async (changes: readonly PaymentChanged[]): Promise<void> => {
    const records = changes.map((change) => {
      return { ...position, key: change.paymentId, value: codec.encode('PaymentChanged', change) }
    })
    // An append whose outcome was not known closed the writer.
    writer ??= await log.openWriter(writerId, { isTransactional: false })
    try {
      await writer.append(records)
    } catch (cause) {
      if (!isFenced(cause)) writer = null
      throw cause
    }
    for (const change of changes) fold.apply(change)
  }
  const group = createGroupAppend(append)

  return {
    find: fold.find,
    unresolved: fold.unresolved,
    record: group.append,
    sweep: () => fold.sweep(nowMs()),
    stats: fold.stats,
    close: async () => {
      await group.settle()
      await writer?.close()
    },
  }
}

export const isFenced = (error: unknown): boolean => error instanceof OperationError && error.code === 'writer_fenced'

type LedgerFold = Readonly<{
  apply: (change: PaymentChanged) => void
  find: PaymentLedger['find']
  unresolved: PaymentLedger['unresolved']
  sweep: (nowMs: number) => readonly string[]
  stats: StatsFold['read']
}>

/** How many records are folded before the ones out of date are dropped: memory stays small over a ledger of any length. */
const sweepEvery = 4_096

function createLedgerFold(): LedgerFold {
  const payments = new Map<string, PaymentChanged>()
  const stats = createStatsFold()
  let sinceSweep = 0
  const sweep = (nowMs: number) => {
    const gone = [...payments.values()].filter((payment) => nowMs > forgottenAfterMs(payment))
    for (const { paymentId } of gone) payments.delete(paymentId)
    sinceSweep = 0
    return gone.map(({ paymentId }) => paymentId)
  }
  return {
    apply: (change) => {
      stats.apply(payments.get(change.paymentId)?.state, change)
      payments.set(change.paymentId, change)
      if (++sinceSweep >= sweepEvery) sweep(change.atMs)
    },
    find: (paymentId) => payments.get(paymentId),
    unresolved: () => [...payments.values()].filter(({ state }) => state === 'settling' || state === 'unknown'),
    sweep,
    stats: stats.read,
  }
}

const afterExpiryMs = 60_000
const undeliveredMs = 600_000

/** Past its validity a signature is worthless, so nothing has to be remembered against it; an answer not yet fetched is kept longer. */
function forgottenAfterMs({ state, validBeforeMs, atMs }: PaymentChanged): number {
  const spentAtMs = validBeforeMs + afterExpiryMs
  switch (state) {
    case 'delivered':
    case 'released':
      return spentAtMs
    case 'settled':
      return Math.max(spentAtMs, atMs + undeliveredMs)
    case 'settling':
    case 'unknown':
      return Number.POSITIVE_INFINITY
    default:
      return state satisfies never
  }
}

async function readAll(log: Log, codec: SchemaCodec<PaymentRecord>, fold: LedgerFold): Promise<void> {
  let { startOffset: offset } = await log.bounds(position.topic, position.partition)
  for (;;) {
    const batches = await log.read({ ...position, offset })
    if (batches.length === 0) return
    for (const batch of batches) {
      for (let index = 0; index < batch.count; index++) {
        const value = batch.valueAt(index)
        if (value) fold.apply(await decode(codec, value))
      }
      offset = batch.nextOffset
    }
  }
}

async function decode(codec: SchemaCodec<PaymentRecord>, value: Buffer): Promise<PaymentChanged> {
  await codec.load(value)
  return codec.decode(value).data
}
