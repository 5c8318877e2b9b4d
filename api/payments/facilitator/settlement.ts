/** Settles a payment and finds out whether the money moved. The outcome is paid, not paid, or not known. */
import type { PaymentPayload, PaymentRequirements, SettleResponse } from '@x402/core/types'
import { SettleError } from '@x402/core/types'
import type { ChainFinding } from '../payment-network.ts'

export type Settlement =
  | Readonly<{ kind: 'paid'; transaction: string }>
  /** Certainly not paid, and it never can be. */
  | Readonly<{ kind: 'refused'; reason: string }>
  /** The facilitator says no, and the chain shows no transfer so far. It can still come until the authorization expires. */
  | Readonly<{ kind: 'unproven'; reason: string }>
  /** `transaction`: sent and not yet confirmed. Null: neither is known. `isChainSilent`: the node did not answer at last. */
  | Readonly<{ kind: 'unknown'; transaction: string | null; isChainSilent: boolean }>

export type SettlementTools = Readonly<{
  settle: (payload: PaymentPayload, requirements: PaymentRequirements) => Promise<SettleResponse>
  probe: () => Promise<ChainFinding>
  /** Whether a text can be the name of a transaction. What cannot is as good as none. */
  isTransaction: (text: string) => boolean
  nowMs: () => number
  sleep: (durationMs: number) => Promise<void>
  /** How long the chain is asked while the client waits. */
  reconcileMs: number
}>

/** What the facilitator says. */
type Attempt =
  | Readonly<{ kind: 'paid'; transaction: string }>
  | Readonly<{ kind: 'refused'; reason: string }>
  | Readonly<{ kind: 'unknown'; transaction: string | null }>

export async function settleAndReconcile(
  payment: Readonly<{ payload: PaymentPayload; requirements: PaymentRequirements }>,
  tools: SettlementTools,
): Promise<Settlement> {
  const attempt = () =>
    tools
      .settle(payment.payload, payment.requirements)
      .catch(toAnswer)
      .then((answer) => judge(answer, tools))
  const first = await attempt()
  if (first.kind === 'paid') return first
  if (first.kind === 'refused') return reconcileRefused(first.reason, tools)
  return reconcileUnknown(first.transaction, attempt, tools)
}

const pollMs = 200
/** A transfer that was sent is in a block by then. */
const refusedMs = 3_000

/** A facilitator can refuse a payment and send its transfer all the same, and another transaction can carry it. */
async function reconcileRefused(reason: string, tools: SettlementTools): Promise<Settlement> {
  const deadlineAtMs = tools.nowMs() + Math.min(refusedMs, tools.reconcileMs)
  for (;;) {
    const finding = await askChain(tools)
    if (finding?.kind === 'paid') return finding
    if (finding?.kind === 'expired') return { kind: 'refused', reason }
    if (tools.nowMs() >= deadlineAtMs) return { kind: 'unproven', reason }
    await tools.sleep(pollMs)
  }
}

/** Asks the chain, settles once more (the chain takes an authorization once), and asks the chain until the time is up. */
async function reconcileUnknown(
  transaction: string | null,
  attempt: () => Promise<Attempt>,
  tools: SettlementTools,
): Promise<Settlement> {
  const deadlineAtMs = tools.nowMs() + tools.reconcileMs
  let second: Started | null = null
  for (;;) {
    const finding = await askChain(tools)
    if (finding?.kind === 'paid') return finding
    if (finding?.kind === 'expired') return { kind: 'refused', reason: 'expired' }
    // A refusal of the second attempt proves nothing: the first may have moved the money.
    if (second?.result?.kind === 'paid') return second.result
    if (second?.result?.kind === 'unknown') transaction ??= second.result.transaction
    if (tools.nowMs() >= deadlineAtMs) return { kind: 'unknown', transaction, isChainSilent: finding === null }
    second ??= start(attempt)
    await tools.sleep(pollMs)
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

/** Null: the chain could not be asked. */
const askChain = ({ probe }: SettlementTools): Promise<ChainFinding | null> => probe().catch(() => null)

const pendingReason = 'settlement_pending'

type Answer = Readonly<{ success: boolean; transaction?: string | undefined; errorReason?: string | undefined }>

/** What an answer of the facilitator says. */
function judge(
  { success, transaction, errorReason }: Answer,
  { isTransaction }: Pick<SettlementTools, 'isTransaction'>,
): Attempt {
  const reason = cleanReason(errorReason)
  const sent = transaction !== undefined && isTransaction(transaction) ? transaction : null
  if (success && sent !== null) return { kind: 'paid', transaction: sent }
  // A failure with a hash: our transaction is on the chain and failed.
  const isOpen = success || reason === pendingReason || (sent === null && isInconclusive(reason))
  return isOpen ? { kind: 'unknown', transaction: sent } : { kind: 'refused', reason }
}

/** No answer says as much as a failure in no words. */
function toAnswer(error: unknown): Answer {
  const isAnswer = error instanceof SettleError && error.statusCode < 500
  const { transaction, errorReason }: Partial<SettleError> = isAnswer ? error : {}
  return { success: false, transaction, errorReason }
}

/**
 * After our own settle a used authorization was most likely used by it. After a generic failure the transaction may have been
 * sent all the same.
 */
const isInconclusive = (reason: string): boolean =>
  /nonce_already_used|duplicate|unexpected|transaction_failed|^settle_failed$/.test(reason)

/** Facilitators put stack dumps here: only plain codes are repeated. */
export const cleanReason = (reason: string | undefined): string =>
  reason !== undefined && /^[a-z0-9_]{1,80}$/.test(reason) ? reason : 'settle_failed'
