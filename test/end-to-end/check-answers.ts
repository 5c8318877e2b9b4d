/**
 * Buys all answers about chain A, and compares each with an independent computation (the oracle) at the
 * answer's block.
 */

import type { RhBurst } from '../../api/chain-a/resources/burst.ts'
import type { ChainANode } from '../support/chain-a-node/node.ts'
import { type OracleAnswer, oracle } from '../support/oracle/oracle.ts'
import type { OracleRules } from '../support/oracle/oracle-rules.ts'
import { recordChain } from '../support/oracle/record-chain.ts'
import type { Recording } from '../support/oracle/recording.ts'
import { blockAtMsOf, buyFlow, buyHistory, buyLive, buyPools, type Shop } from './buy-answers.ts'
import { assertBursts, assertMinutes, assertPool, assertPools } from './compare-answers.ts'

const liveMs = 240 * 60_000

export type Answers = Readonly<{
  history: Awaited<ReturnType<typeof buyHistory>>
  live: Awaited<ReturnType<typeof buyLive>>
  pools: Awaited<ReturnType<typeof buyPools>>
  flows: readonly Awaited<ReturnType<typeof buyFlow>>[]
}>

/** Buys the flow of every pool too. */
export async function buyAll(shop: Shop): Promise<Answers> {
  const [history, live, pools] = [await buyHistory(shop), await buyLive(shop), await buyPools(shop)]
  const flows: Awaited<ReturnType<typeof buyFlow>>[] = []
  for (const { id } of pools.pools) flows.push(await buyFlow(shop, id))
  return { history, live, pools, flows }
}

export const recordNode = (node: ChainANode, earlier?: Recording): Promise<Recording> =>
  recordChain(node.rpc, node.contracts, earlier)

/**
 * Throws at the first difference. A call with changed rules must throw, which shows that the check can fail.
 */
export function checkAnswers(answers: Answers, recording: Recording, rules?: OracleRules): void {
  const expectedAt = createOracleAt(recording, rules)
  const { history, live, pools, flows } = answers
  const past = expectedAt(blockAtMsOf(history))
  assertBursts(history.bursts, past.answer.bursts.filter(isScored), past)
  const now = expectedAt(blockAtMsOf(live))
  const recent = now.answer.bursts.filter(({ at }) => at > now.blockAtMs - liveMs)
  assertBursts(live.bursts, recent, now)
  assertPools(pools.pools, expectedAt(blockAtMsOf(pools)).answer.pools, pools)
  for (const flow of flows) {
    const then = expectedAt(blockAtMsOf(flow))
    const pool = then.answer.pools.find(({ id }) => id === flow.pool.id)
    if (pool === undefined) throw new TypeError(`the oracle knows no pool ${flow.pool.id}`)
    assertPool(flow.pool, pool, flow)
    assertMinutes(flow.pool.mins, pool)
    assertBursts(
      flow.bursts,
      then.answer.bursts.filter((burst) => burst.pool === pool.id),
      then,
    )
  }
}

const isScored = ({ outcome }: OracleAnswer['bursts'][number]): boolean => outcome !== null

/** The oracle runs once per block. */
function createOracleAt(recording: Recording, rules: OracleRules | undefined) {
  const known = new Map<number, OracleAnswer>()
  return (blockAtMs: number) => {
    const answer = known.get(blockAtMs) ?? oracle(recording, { blockAtMs, ...(rules === undefined ? {} : { rules }) })
    known.set(blockAtMs, answer)
    return { answer, blockAtMs }
  }
}

export const burstById = (bursts: readonly RhBurst[]): ReadonlyMap<string, RhBurst> =>
  new Map(bursts.map((burst) => [burst.id, burst]))
