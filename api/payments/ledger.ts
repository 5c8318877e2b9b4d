/**
 * The ledger of payments: a fold of topic `payments`, written by one owner. A payment enters it right before it is handed to
 * the facilitator, and leaves memory when it can no longer be spent.
 */
import { OperationError } from '../../infra/errors.ts'
import type { Log, LogWriter } from '../../infra/log/log.ts'
import { readAll } from '../../infra/log/read-back.ts'
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
  /** The same for what may be lost in a crash: it waits for the next record or for `flush`. */
  recordWithNext: (change: PaymentChanged) => Promise<void>
  /** Never rejects: those who recorded are told. */
  flush: () => Promise<void>
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
  await foldAll(log, codec, fold)

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
    recordWithNext: group.appendWithNext,
    flush: group.flush,
    sweep: () => fold.sweep(nowMs()),
    stats: fold.stats,
    close: async () => {
      await group.flush()
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

/**
 * How many records are folded, at the least, before the ones out of date are dropped: memory stays small over a ledger of any
 * length. With more payments in memory it is as many as those, so that a record costs a look at one.
 */
const sweepEveryMin = 4_096

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
      if (++sinceSweep >= Math.max(sweepEveryMin, payments.size)) sweep(change.atMs)
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

async function foldAll(log: Log, codec: SchemaCodec<PaymentRecord>, fold: LedgerFold): Promise<void> {
  for await (const batch of readAll(log, position))
    for (let index = 0; index < batch.count; index++) {
      const value = batch.valueAt(index)
      if (value) fold.apply(await decode(codec, value))
    }
}

async function decode(codec: SchemaCodec<PaymentRecord>, value: Buffer): Promise<PaymentChanged> {
  await codec.load(value)
  return codec.decode(value).data
}
