/**
 * The ledger of payments, computed from the records of the topic `payments`. The topic has only one writer. A
 * payment is recorded right before it is sent to the facilitator. A payment is removed from memory when it
 * can no longer be spent and its answer no longer has to be kept.
 */

import type { SchemaCodec } from '../../../infra/codec/schema-codec.ts'
import { OperationError } from '../../../infra/errors.ts'
import type { Log } from '../../../infra/log/log.ts'
import { readAll } from '../../../infra/log/read-back.ts'
import type { PaymentChanged } from '../../../schemas/payments.ts'
import { dayMs, type EpochMs, minuteMs } from '../../../schemas/units.ts'
import { identifierKeyOf } from '../payment-identifier.ts'
import { type BuyersFold, createBuyersFold } from './buyers.ts'
import { createGroupAppend } from './group-append.ts'
import { createPaymentIndex } from './payment-index.ts'
import { createStatsFold, type StatsFold } from './payment-stats.ts'

export type PaymentRecord = Readonly<{ type: 'PaymentChanged'; data: PaymentChanged }>

export type PaymentLedger = Readonly<{
  find: (paymentId: string) => PaymentChanged | undefined
  /**
   * Returns the payment that this payer made with this payment identifier. Payments that were certainly not
   * paid are ignored.
   */
  findNamed: (payer: string, clientPaymentId: string) => PaymentChanged | undefined
  /** Returns whether another payment with the same signature bytes may have been paid. */
  hasSignedAlike: (payment: Readonly<{ signatureHash?: string; paymentId: string }>) => boolean
  /** Returns the payments that were sent to the facilitator and whose outcome is unknown. */
  unresolved: () => readonly PaymentChanged[]
  /**
   * Appends a change, which is durable when the promise resolves. If another process has become the owner of
   * the ledger, every call fails with `writer_fenced`.
   */
  record: (change: PaymentChanged) => Promise<void>
  /**
   * Applies a change that a crash may lose, and then appends it. If the append fails, the ledger keeps the change until it
   * next reads the log. After that, it has the record of the log.
   */
  applyAndRecord: (change: PaymentChanged) => Promise<void>
  /**
   * Adds a change that a crash may lose. The change is appended together with the next record, or by `flush`.
   */
  recordWithNext: (change: PaymentChanged) => Promise<void>
  /**
   * Appends all waiting changes. Never rejects. If the append fails, the calls that added the changes reject.
   */
  flush: () => Promise<void>
  /**
   * Checks that this process still owns the ledger. If the last append failed, also determines whether its records are
   * on the log. Fails with `writer_fenced` if another process owns the ledger.
   */
  confirm: () => Promise<void>
  /** Forgets payments that can no longer be spent and returns their ids. */
  sweep: () => readonly string[]
  stats: StatsFold['read']
  hasBought: BuyersFold['has']
  close: () => Promise<void>
}>

const writerId = 'payments'
const place = { topic: 'payments', partition: 0 } as const

/**
 * Opens the ledger: fences the previous owner and reads the topic. Only this function fences another process.
 *
 * After a failed append, the records may still be on the log, and another process may own the ledger. So the
 * next call first reopens the writer with its own epoch. This fails if another process has fenced the writer.
 * Then the call reads the topic again, because only the topic shows whether the append succeeded.
 */
export async function openPaymentLedger(
  options: Readonly<{ log: Log; codec: SchemaCodec<PaymentRecord>; nowMs: () => EpochMs }>,
): Promise<PaymentLedger> {
  const { log, codec, nowMs } = options
  let writer = await log.openWriter(writerId, { isTransactional: false })
  let fold = await foldAll(log, codec)
  let isInDoubt = false
  /** The changes that are applied, and that the log does not have yet, in their order. */
  const ahead = new Set<PaymentChanged>()
  const inTurn = createTurns()

  const attempt = async (step: () => Promise<void>): Promise<void> => {
    try {
      await step()
    } catch (cause) {
      isInDoubt = true
      throw cause
    }
  }
  const resolveDoubt = async (): Promise<void> => {
    writer = await writer.reopen()
    fold = await foldAll(log, codec)
    for (const change of ahead) fold.apply(change)
    isInDoubt = false
  }
  const recordOf = (change: PaymentChanged) => {
    return { key: change.paymentId, value: codec.encode('PaymentChanged', change), ...place }
  }
  const append = async (changes: readonly PaymentChanged[]): Promise<void> => {
    try {
      if (isInDoubt) await resolveDoubt()
      await attempt(async () => writer.append(changes.map(recordOf)))
    } catch (cause) {
      for (const change of changes) ahead.delete(change)
      throw cause
    }
    for (const change of changes) if (!ahead.delete(change)) fold.apply(change)
  }
  const confirm = () => (isInDoubt ? resolveDoubt() : attempt(() => writer.confirm()))
  const group = createGroupAppend((changes: readonly PaymentChanged[]) => inTurn(() => append(changes)))

  return {
    find: (paymentId) => fold.find(paymentId),
    findNamed: (payer, clientPaymentId) => fold.findNamed(payer, clientPaymentId),
    hasSignedAlike: (payment) => fold.hasSignedAlike(payment),
    unresolved: () => fold.unresolved(),
    record: group.append,
    applyAndRecord: (change) => {
      fold.apply(change)
      ahead.add(change)
      return group.append(change)
    },
    recordWithNext: group.appendWithNext,
    flush: group.flush,
    confirm: () => inTurn(confirm),
    sweep: () => fold.sweep(nowMs()),
    stats: () => fold.stats(),
    hasBought: (payer) => fold.hasBought(payer),
    close: async () => {
      await group.flush()
      await inTurn(() => writer.close())
    },
  }
}

/** Returns a function that runs steps one after the other. A failed step does not stop the steps after it. */
function createTurns() {
  let last: Promise<unknown> = Promise.resolve()
  return (step: () => Promise<void>): Promise<void> => {
    const done = last.then(step)
    last = done.catch(() => {})
    return done
  }
}

export const isFenced = (error: unknown): boolean => error instanceof OperationError && error.code === 'writer_fenced'

type LedgerFold = Readonly<{
  apply: (change: PaymentChanged) => void
  find: PaymentLedger['find']
  findNamed: PaymentLedger['findNamed']
  hasSignedAlike: PaymentLedger['hasSignedAlike']
  unresolved: PaymentLedger['unresolved']
  sweep: (nowMs: EpochMs) => readonly string[]
  stats: StatsFold['read']
  hasBought: BuyersFold['has']
}>

/**
 * The minimum number of records between two sweeps. A sweep removes payments that can no longer be spent. If
 * more payments than this are in memory, the next sweep waits for as many records as there are payments. So
 * the cost per record stays constant.
 */
const sweepEveryMin = 4_096

function createLedgerFold(): LedgerFold {
  const payments = new Map<string, PaymentChanged>()
  const stats = createStatsFold()
  const buyers = createBuyersFold()
  const named = createPaymentIndex(({ payer, clientPaymentId }) =>
    clientPaymentId === null ? null : identifierKeyOf(payer, clientPaymentId),
  )
  const signed = createPaymentIndex(({ signatureHash }) => signatureHash)
  const found = (paymentId: string | undefined) => (paymentId === undefined ? undefined : payments.get(paymentId))
  let sinceSweep = 0
  const sweep = (nowMs: EpochMs) => {
    const gone = [...payments.values()].filter((payment) => nowMs > forgottenAfterMs(payment))
    for (const payment of gone) {
      payments.delete(payment.paymentId)
      stats.forget(payment)
      for (const index of [named, signed]) index.drop(payment)
    }
    sinceSweep = 0
    return gone.map(({ paymentId }) => paymentId)
  }
  return {
    apply: (change) => {
      stats.apply(payments.get(change.paymentId)?.state, change)
      for (const part of [buyers, named, signed]) part.apply(change)
      payments.set(change.paymentId, change)
      if (++sinceSweep >= Math.max(sweepEveryMin, payments.size)) sweep(change.atMs)
    },
    find: found,
    findNamed: (payer, clientPaymentId) => found(named.find(identifierKeyOf(payer, clientPaymentId))),
    hasSignedAlike: ({ signatureHash, paymentId }) =>
      signatureHash !== undefined && signed.hasOther(signatureHash, paymentId),
    unresolved: () => [...payments.values()].filter(({ state }) => state === 'settling' || state === 'unknown'),
    sweep,
    stats: stats.read,
    hasBought: buyers.has,
  }
}

const afterExpiryMs = minuteMs
/**
 * How long an answer is kept after its delivery, in ms. A response that was sent may still be lost, for
 * example in a proxy.
 */
const deliveredMs = 600_000
const undeliveredMs = dayMs

/**
 * The instant after which a payment can be forgotten. The signature has then expired, so the payment cannot be spent again. A paid answer
 * is kept at least ten minutes after it was sent. An answer that was not sent is kept a day after the settlement.
 */
function forgottenAfterMs({ state, validBeforeMs, atMs }: PaymentChanged): EpochMs {
  const spentAtMs = validBeforeMs + afterExpiryMs
  switch (state) {
    case 'released':
      return spentAtMs
    case 'delivered':
      return Math.max(spentAtMs, atMs + deliveredMs)
    case 'settled':
      return Math.max(spentAtMs, atMs + undeliveredMs)
    case 'settling':
    case 'unknown':
      return Number.POSITIVE_INFINITY
    default:
      return state satisfies never
  }
}

async function foldAll(log: Log, codec: SchemaCodec<PaymentRecord>): Promise<LedgerFold> {
  const fold = createLedgerFold()
  for await (const batch of readAll(log, place))
    for (let index = 0; index < batch.count; index++) {
      const value = batch.valueAt(index)
      if (value) fold.apply(await decode(codec, value))
    }
  return fold
}

async function decode(codec: SchemaCodec<PaymentRecord>, value: Buffer): Promise<PaymentChanged> {
  await codec.load(value)
  return codec.decode(value).data
}
