/**
 * Builds trade histories of tokens of chain A. Both the stage and an independent recount then judge the posts
 * about a token, and the results are compared.
 */
import { parseRules } from '../../../infra/parse-rules.ts'
import { chainA, createChainA } from '../../../processors/stages.ts'
import type { ChainADerived } from '../../../schemas/chain-a/derived.ts'
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import type { StageRecord } from '../../../schemas/stage.ts'
import type { Hex } from '../../../schemas/units.ts'
import {
  buildAddress,
  buildLiquidityChanged,
  buildPoolCreated,
  buildSendersAnswered,
  buildSwap,
  second,
  testPool,
  testToken,
} from '../../support/builders/build-facts.ts'
import { linesOfChainA } from '../../support/oracle/calls/chain-a.ts'
import { type CallRules, callRules } from '../../support/oracle/calls/rules.ts'
import { dataOf, expectCalls, expectPrecalls, type Senders } from './compare-lives.ts'
import { type Life, live } from './life.ts'

export const hour = 3600
export const watch = 48 * hour

export type ChainALife = Life<ChainAFact> &
  Readonly<{
    senders?: Senders
    /**
     * Changed rules. `said` has the form of a rules file, and `counted` has the form that the recount takes.
     */
    bent?: Readonly<{ said: object; counted: Partial<CallRules> }>
  }>

export const everybody = (txHash: string): Hex => buildAddress(Number(BigInt(txHash) % 7n))

export function expectLife(life: ChainALife): void {
  const { senders = everybody, facts = [], bent } = life
  const runnable = bent ? createChainA(parseRules(JSON.stringify({ calls: bent.said }), 'test')) : chainA
  const answers = (asked: StageRecord) => answersTo(asked as ChainADerived, senders)
  const { records, told } = live({ runnable, token: testToken }, { answers, ...life })
  const bursts = dataOf<{ tier: string; atMs: number }>(records, 'Burst')
  const rules = { ...callRules, ...bent?.counted }
  const all = { ...told, lines: linesOfChainA(facts), rules, bursts }
  expectCalls(records, all)
  expectPrecalls(records, all, { facts, senders })
}

/**
 * Returns three answers to a lookup. The first belongs to another lookup, the second to another version of
 * this lookup, and the third is right. With `too late`, all come 27 hours later.
 */
function answersTo(asked: ChainADerived, senders: Senders) {
  if (asked.type !== 'PrecallSendersAsked') return []
  const { questionId, revision, txHashes } = asked.data
  const senderOf = typeof senders === 'function' ? senders : everybody
  const found = txHashes.flatMap((txHash) => {
    const sender = senderOf(txHash)
    return sender === null ? [] : [{ txHash, sender }]
  })
  const afterSec = senders === 'too late' ? 27 * hour : 0
  return [
    { questionId: `${testPool}:main:${second(0)}`, revision },
    { questionId, revision: revision + 1 },
    { questionId, revision, senders: senders === 'failed' ? null : found },
  ].map((fields) => ({ afterSec, answer: buildSendersAnswered(fields) }))
}

export const at = (atSec: number) => ({ blockAtMs: second(atSec) })
export const pool = (atSec: number): readonly ChainAFact[] => [
  buildPoolCreated(at(atSec)),
  buildLiquidityChanged(at(atSec)),
]
export const buy = (atSec: number, px = 1e-9): ChainAFact => buildSwap({ eth: 0.1, px, ...at(atSec) })
export const every = (gapSec: number, [fromSec, toSec]: readonly [number, number]): readonly number[] =>
  Array.from({ length: Math.floor((toSec - fromSec) / gapSec) + 1 }, (_, index) => fromSec + index * gapSec)
/** Returns buys that are enough for a burst, all within one minute. */
export const burst = (fromSec: number): readonly ChainAFact[] =>
  every(1, [fromSec, fromSec + 12]).map((atSec) => buy(atSec))
/** Removes this percentage of the liquidity. */
export const pull = (atSec: number, percent = 100n): ChainAFact =>
  buildLiquidityChanged({ liquidityDelta: -percent * 10n ** 19n, ...at(atSec) })
export const unpriced = (atSec: number): ChainAFact => buildPoolCreated({ dex: 'v3', sqrtPriceX96: null, ...at(atSec) })
