/** Settles a payment and finds out whether the money moved. The outcome is paid, not paid, or not known. */
import type { PaymentPayload, PaymentRequirements, SettleResponse } from '@x402/core/types'
import { SettleError } from '@x402/core/types'
import type { ChainFinding } from './payment-network.ts'

export type Settlement =
  | Readonly<{ kind: 'paid'; transaction: string }>
  /** Certainly not paid. */
  | Readonly<{ kind: 'refused'; reason: string }>
  /** `transaction`: sent and not yet confirmed. Null: neither is known. */
  | Readonly<{ kind: 'unknown'; transaction: string | null }>

export type SettlementTools = Readonly<{
  settle: (payload: PaymentPayload, requirements: PaymentRequirements) => Promise<SettleResponse>
  probe: () => Promise<ChainFinding>
  nowMs: () => number
  sleep: (durationMs: number) => Promise<void>
  /** How long the chain is asked while the client waits. */
  reconcileMs: number
}>

type Attempt = Settlement | Readonly<{ kind: 'reverted'; reason: string }>

export async function settleAndReconcile(
  payment: Readonly<{ payload: PaymentPayload; requirements: PaymentRequirements }>,
  tools: SettlementTools,
): Promise<Settlement> {
  const attempt = () => tools.settle(payment.payload, payment.requirements).then(judge, judgeThrown)
  const first = await attempt()
  if (first.kind === 'paid' || first.kind === 'refused') return first
  if (first.kind === 'reverted') return reconcileReverted(first.reason, tools)
  return reconcileUnknown(first.transaction, attempt, tools)
}

/** Our transaction is on the chain and failed. Another one may have used the same authorization before it. */
async function reconcileReverted(reason: string, tools: SettlementTools): Promise<Settlement> {
  const finding = await askChain(tools)
  if (finding === null) return { kind: 'unknown', transaction: null }
  return finding.kind === 'paid' ? finding : { kind: 'refused', reason }
}

const pollMs = 200

/** Asks the chain, settles once more (the chain takes an authorization once), and asks the chain until the time is up. */
async function reconcileUnknown(
  transaction: string | null,
  attempt: () => Promise<Attempt>,
  tools: SettlementTools,
): Promise<Settlement> {
  const deadlineAtMs = tools.nowMs() + tools.reconcileMs
  const second: { result?: Attempt } = {}
  for (let round = 0; ; round++) {
    const finding = await askChain(tools)
    if (finding?.kind === 'paid') return finding
    if (finding?.kind === 'expired') return { kind: 'refused', reason: 'expired' }
    // A refusal of the second attempt proves nothing: the first may have moved the money.
    if (second.result?.kind === 'paid') return second.result
    if (second.result?.kind === 'unknown') transaction ??= second.result.transaction
    if (tools.nowMs() >= deadlineAtMs) return { kind: 'unknown', transaction }
    if (round === 0)
      void attempt().then((result) => {
        second.result = result
      })
    await tools.sleep(pollMs)
  }
}

/** Null: the chain could not be asked. */
const askChain = ({ probe }: SettlementTools): Promise<ChainFinding | null> => probe().catch(() => null)

const pendingReason = 'settlement_pending'

/** What an answer of the facilitator proves. Only a clear refusal without a transaction means not paid. */
function judge(response: SettleResponse): Attempt {
  const { success, transaction } = response
  const reason = cleanReason(response.errorReason)
  const sent = typeof transaction === 'string' && transaction !== '' ? transaction : null
  if (success) return sent === null ? { kind: 'unknown', transaction: null } : { kind: 'paid', transaction: sent }
  if (reason === pendingReason) return { kind: 'unknown', transaction: sent }
  if (sent !== null) return { kind: 'reverted', reason }
  return isInconclusive(reason) ? { kind: 'unknown', transaction: null } : { kind: 'refused', reason }
}

function judgeThrown(error: unknown): Attempt {
  if (!(error instanceof SettleError) || error.statusCode >= 500) return { kind: 'unknown', transaction: null }
  return judge({
    success: false,
    transaction: error.transaction ?? '',
    network: error.network ?? 'unknown:unknown',
    ...(error.errorReason === undefined ? {} : { errorReason: error.errorReason }),
  })
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
