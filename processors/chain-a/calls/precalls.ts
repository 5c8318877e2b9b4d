/**
 * Stores the recent purchases of a token. When a post recommends the token, requests a lookup of their
 * senders.
 */
import type { Precall } from '../../../schemas/calls/derived.ts'
import { type CallRules, lateMsMaxOf } from '../../../schemas/calls/rules.ts'
import type { ChainADerived } from '../../../schemas/chain-a/derived.ts'
import type { ChainAAnswer, SendersAnswered } from '../../../schemas/chain-a/facts.ts'
import type { ChainATypes } from '../../../schemas/chain-a/stage.ts'
import { type Address, type EpochMs, hourMs } from '../../../schemas/units.ts'
import type { Precalling } from '../../calls/dependencies.ts'
import { revisionOf } from '../buyers/buyers.ts'
import { addBuy, type Buy, type Buys, buysBefore, hasBuys, isBuy, noBuys, pruneBuys } from './buys.ts'
import { isInTime, precallBuyersOf, trackedPrecall, untrackedPrecall } from './precall.ts'

/** The maximum time until the lookup of senders gives a result or fails. */
const answerWithinMs = 25 * hourMs

/**
 * The lookup for the newest post that has no result yet: of the price at a provider, or of the senders of the
 * purchases before the post.
 */
type Question =
  | Readonly<{ kind: 'price'; questionId: string; postedAtMs: EpochMs }>
  | Readonly<{
      kind: 'senders'
      questionId: string
      revision: number
      postedAtMs: EpochMs
      flags: Precall['flags']
      buys: readonly Buy[]
    }>

export type Precalls = { readonly buys: Buys; question: Question | null }

const noPrecalls = (): Precalls => ({ buys: noBuys(), question: null })

export function createPrecalling(rules: CallRules): Precalling<Precalls, ChainATypes> {
  // A post can be recorded up to `lateMsMaxOf(rules)` late. At that time, the purchases in the `precallMs`
  // before the post must still be in memory.
  const memoryMs = rules.precallMs + lateMsMaxOf(rules)
  return {
    initialState: noPrecalls,
    onTrade(state, fact) {
      if (!isBuy(fact)) return state
      const known = state ?? noPrecalls()
      addBuy(known.buys, fact, memoryMs)
      return known
    },
    onCall(state, called) {
      const { mention, markets, token } = called
      const { postedAtMs } = mention
      state.question = null
      if (!isInTime(called, rules)) return [{ type: 'Precall', data: untrackedPrecall(postedAtMs, null, rules) }]
      const buys = buysBefore(state.buys, postedAtMs, rules.precallMs)
      const precall = trackedPrecall(markets, { postedAtMs, buys }, rules)
      if (precall !== null)
        return [{ type: 'Precall', data: precall }, ...askSenders(state, called.token, { precall, buys, rules })]
      // The record that requests this price is emitted in `calls/watch.ts`, when the observation of the token
      // begins.
      state.question = { kind: 'price', questionId: `${token}:${postedAtMs}`, postedAtMs }
      return []
    },
    onAnswer(state, answer) {
      const { question } = state
      if (question === null) return []
      const record =
        question.kind === 'price' ? pricedPrecall(question, answer, rules) : resolvedBuyers(question, answer, rules)
      if (record === null) return []
      state.question = null
      return [record]
    },
    prune(state, atMs) {
      pruneBuys(state.buys, atMs, memoryMs)
      if (state.question !== null && state.question.postedAtMs < atMs - answerWithinMs) state.question = null
    },
    // `isInTime` refuses posts that would read older buys.
    trim: ({ buys }, atMs) => pruneBuys(buys, atMs, memoryMs),
    isEmpty: ({ buys, question }) => !hasBuys(buys) && question === null,
  }
}

type SendersInput = Readonly<{ precall: Precall; buys: readonly Buy[]; rules: CallRules }>

/**
 * Requests a lookup of the senders of swaps. If all purchases were on the curve, their wallets are known at
 * once and no lookup is needed.
 */
function askSenders(state: Precalls, token: string, { precall, buys, rules }: SendersInput): readonly ChainADerived[] {
  const { postedAtMs, flags } = precall
  const hashes = [...new Set(buys.flatMap(({ trader, txHash }) => (trader === null ? [txHash] : [])))]
  const txHashes = hashes.slice(Math.max(0, hashes.length - rules.sendersAskedMax))
  if (txHashes.length === 0)
    return [{ type: 'PrecallBuyers', data: precallBuyersOf({ ...precall, buys }, ({ trader }) => trader, rules) }]
  const questionId = `precall:${token}:${postedAtMs}`
  const revision = revisionOf(txHashes)
  state.question = { kind: 'senders', questionId, revision, postedAtMs, flags, buys }
  return [{ type: 'PrecallSendersAsked', data: { questionId, revision, atMs: postedAtMs, txHashes } }]
}

function pricedPrecall(question: Question, { type, data }: ChainAAnswer, rules: CallRules): ChainADerived | null {
  if (type !== 'PriceAnswered' || data.questionId !== question.questionId) return null
  // A price that was read later already contains the effect of the post.
  const isInTime = data.answeredAtMs - question.postedAtMs <= rules.askedAnchorMs
  const change1h = isInTime ? (data.price?.change1h ?? null) : null
  return { type: 'Precall', data: untrackedPrecall(question.postedAtMs, change1h, rules) }
}

function resolvedBuyers(
  question: Question & { kind: 'senders' },
  { type, data }: ChainAAnswer,
  rules: CallRules,
): ChainADerived | null {
  if (type !== 'SendersAnswered' || data.questionId !== question.questionId) return null
  if (data.revision !== question.revision) return null
  return { type: 'PrecallBuyers', data: precallBuyersOf(question, walletFrom(data), rules) }
}

/**
 * Returns a function that returns the wallet of a purchase, or null if the result of the lookup lacks the
 * sender. If the whole lookup failed, returns null instead of a function.
 */
function walletFrom({ senders }: SendersAnswered): ((buy: Buy) => Address | null) | null {
  if (senders === null) return null
  const senderOf = new Map(senders.map(({ txHash, sender }) => [txHash, sender]))
  return ({ trader, txHash }) => trader ?? senderOf.get(txHash) ?? null
}
