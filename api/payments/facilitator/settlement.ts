/** Settles a payment and determines whether the money moved. The outcome is paid, not paid, or unknown. */
import type { PaymentPayload, PaymentRequirements, SettleResponse } from '@x402/core/types'
import { SettleError } from '@x402/core/types'
import type { DurationMs, EpochMs } from '../../../schemas/units.ts'
import type { ChainFinding } from '../payment-network.ts'

export type Settlement =
  | Readonly<{ kind: 'paid'; transaction: string }>
  /** Not paid, and the payment can never be made. */
  | Readonly<{ kind: 'refused'; reason: string }>
  /**
   * The facilitator refuses, and the chain shows no transfer yet. The transfer can still come until the authorization
   * expires.
   */
  | Readonly<{ kind: 'unproven'; reason: string }>
  /**
   * `transaction`: the transaction that was sent but is not confirmed. It is null if it is unknown whether a
   * transaction was sent. `isChainSilent`: the node did not answer the last call.
   */
  | Readonly<{ kind: 'unknown'; transaction: string | null; isChainSilent: boolean }>

export type SettlementDependencies = Readonly<{
  settle: (payload: PaymentPayload, requirements: PaymentRequirements) => Promise<SettleResponse>
  probe: () => Promise<ChainFinding>
  /** Whether a text has the form of a transaction id. A report with any other text counts as a report without a transaction. */
  isTransaction: (text: string) => boolean
  nowMs: () => EpochMs
  sleep: (durationMs: DurationMs) => Promise<void>
  /** How long the chain is searched while the client waits, in ms. */
  reconcileMs: DurationMs
}>

/** The facilitator's report about one attempt to settle. */
type Attempt =
  | Readonly<{ kind: 'paid'; transaction: string }>
  | Readonly<{ kind: 'refused'; reason: string }>
  | Readonly<{ kind: 'unknown'; transaction: string | null }>

export async function settleAndReconcile(
  payment: Readonly<{ payload: PaymentPayload; requirements: PaymentRequirements }>,
  dependencies: SettlementDependencies,
): Promise<Settlement> {
  const attempt = () =>
    dependencies
      .settle(payment.payload, payment.requirements)
      .catch(toAnswer)
      .then((answer) => judge(answer, dependencies))
  const first = await attempt()
  if (first.kind === 'paid') return first
  if (first.kind === 'refused') return reconcileRefused(first.reason, dependencies)
  return reconcileUnknown(first.transaction, attempt, dependencies)
}

const pollMs = 200
/** The maximum time for which the chain is searched after a refusal, in ms. A transfer that was sent is in a block by then. */
const refusedMs = 3_000

/**
 * Searches the chain after a refusal. A facilitator can refuse a payment and still send its transfer, and another
 * transaction can use the authorization.
 */
async function reconcileRefused(reason: string, dependencies: SettlementDependencies): Promise<Settlement> {
  const deadlineAtMs = dependencies.nowMs() + Math.min(refusedMs, dependencies.reconcileMs)
  for (;;) {
    const finding = await askChain(dependencies)
    if (finding?.kind === 'paid') return finding
    if (finding?.kind === 'expired') return { kind: 'refused', reason }
    if (dependencies.nowMs() >= deadlineAtMs) return { kind: 'unproven', reason }
    await dependencies.sleep(pollMs)
  }
}

/**
 * Searches the chain, tries to settle one more time, and searches the chain until the time is up. The second
 * attempt is safe, because the chain accepts each authorization at most one time.
 */
async function reconcileUnknown(
  transaction: string | null,
  attempt: () => Promise<Attempt>,
  dependencies: SettlementDependencies,
): Promise<Settlement> {
  const deadlineAtMs = dependencies.nowMs() + dependencies.reconcileMs
  let second: Started | null = null
  for (;;) {
    const finding = await askChain(dependencies)
    if (finding?.kind === 'paid') return finding
    if (finding?.kind === 'expired') return { kind: 'refused', reason: 'expired' }
    // A refusal of the second attempt proves nothing, because the first attempt may have moved the money.
    if (second?.result?.kind === 'paid') return second.result
    if (second?.result?.kind === 'unknown') transaction ??= second.result.transaction
    if (dependencies.nowMs() >= deadlineAtMs) return { kind: 'unknown', transaction, isChainSilent: finding === null }
    second ??= start(attempt)
    await dependencies.sleep(pollMs)
  }
}

type Started = { result?: Attempt }

function start(attempt: () => Promise<Attempt>): Started {
  const started: Started = {}
  void attempt().then((result) => {
    started.result = result
  })
  return started
}

/** Returns null if the node does not answer. */
const askChain = ({ probe }: SettlementDependencies): Promise<ChainFinding | null> => probe().catch(() => null)

const pendingReason = 'settlement_pending'

type Answer = Readonly<{ success: boolean; transaction?: string | undefined; errorReason?: string | undefined }>

/** Interprets the facilitator's answer as paid, refused or unknown. */
function judge(
  { success, transaction, errorReason }: Answer,
  { isTransaction }: Pick<SettlementDependencies, 'isTransaction'>,
): Attempt {
  const reason = cleanReason(errorReason)
  const sent = transaction !== undefined && isTransaction(transaction) ? transaction : null
  if (success && sent !== null) return { kind: 'paid', transaction: sent }
  // A failure that names a transaction is a refusal, because that transaction failed on the chain. The exception is the reason
  // `pendingReason`.
  const isOpen = success || reason === pendingReason || (sent === null && isInconclusive(reason))
  return isOpen ? { kind: 'unknown', transaction: sent } : { kind: 'refused', reason }
}

/** Converts an error to an answer. A request without an answer counts as a failure without a reason. */
function toAnswer(error: unknown): Answer {
  const isAnswer = error instanceof SettleError && error.statusCode < 500
  const { transaction, errorReason }: Partial<SettleError> = isAnswer ? error : {}
  return { success: false, transaction, errorReason }
}

/**
 * Whether the payment may be settled although the facilitator reports a failure. If the authorization is already used,
 * this attempt has probably used it. After a generic failure, the facilitator may still have sent the transaction.
 */
const isInconclusive = (reason: string): boolean =>
  /nonce_already_used|duplicate|unexpected|transaction_failed|^settle_failed$/.test(reason)

/** Returns a reason that is a plain code, or else `settle_failed`. Some facilitators send stack traces as reasons. */
export const cleanReason = (reason: string | undefined): string =>
  reason !== undefined && /^[a-z0-9_]{1,80}$/.test(reason) ? reason : 'settle_failed'
