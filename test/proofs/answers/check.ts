/** Requests all paid routes at several times, and compares the answers with the oracle. */

import type { ChainBRecord } from '../../../schemas/chain-b/facts.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import type { StageRecord } from '../../../schemas/stage.ts'
import { readAll } from '../../replay/stage-log.ts'
import { answersOf } from '../../support/oracle/chain-b/answers.ts'
import { recount } from '../../support/oracle/chain-b/recount.ts'
import { type Rules, rules as rulesAsTheyAre } from '../../support/oracle/chain-b/rules.ts'
import { type FactLog, type Known, knownAt } from '../../support/oracle/chain-b/stories.ts'
import { compareBodies, createTally, type RuleIds, type Sold, type Tally } from './compare.ts'
import type { Day } from './day.ts'
import { questions, routeOf } from './questions.ts'
import type { Shop } from './shop.ts'

/** The decoded facts of the log. */
export async function factLogOf({ log, codecs }: Day): Promise<FactLog> {
  const { name: topic, partitionCount } = chainBStage.factTopic
  const partitions: FactLog[number][] = []
  for (let partition = 0; partition < partitionCount; partition++) {
    const stored = await readAll(log, topic, partition)
    partitions.push(stored.map(({ key, value }) => ({ key, record: decoded(codecs.facts.decode(value as Buffer)) })))
  }
  return partitions
}

const decoded = (record: StageRecord): ChainBRecord => record as ChainBRecord

/** Requests every path of `questions` at every time of `cuts`. */
export async function buyAll(shop: Shop, cuts: readonly number[]): Promise<readonly Sold[]> {
  const sold: Sold[] = []
  for (const cutAtMs of cuts)
    for (const { path } of questions) sold.push({ path, cutAtMs, body: await shop.buy(path, cutAtMs) })
  return sold
}

type KnownBy = (rules: Rules) => readonly Known[]

/**
 * Returns what the service knew at the time of each sold answer. Computes this again only for rules that
 * change which facts of a mint count.
 */
export function createKnownAtCuts(log: FactLog, sold: readonly Sold[]): KnownBy {
  const cuts = [...new Set(sold.map(({ cutAtMs }) => cutAtMs))]
  const knownBy: KnownBy = (rules) => cuts.map((cutAtMs) => knownAt(log, cutAtMs, rules))
  const nameOf = ({ lateFactsCount, graduatedLifeMs, idleLifeMs }: Rules) =>
    [lateFactsCount, graduatedLifeMs, idleLifeMs].join()
  const usual = knownBy(rulesAsTheyAre)
  return (rules) => (nameOf(rules) === nameOf(rulesAsTheyAre) ? usual : knownBy(rules))
}

/** The results by route. */
export function checkAll(
  cuts: readonly Known[],
  sold: readonly Sold[],
  rules: Rules = rulesAsTheyAre,
): ReadonlyMap<string, Tally> {
  const byRoute = new Map<string, Tally>()
  const ids: RuleIds = new Map()
  for (const known of cuts) {
    const answers = answersOf(known, recount(known, rules), rules)
    for (const { path, body } of sold.filter(({ cutAtMs }) => cutAtMs === known.cutAtMs)) {
      const route = routeOf(path)
      const tally = byRoute.get(route) ?? createTally()
      byRoute.set(route, tally)
      const expected = questions.find((question) => question.path === path)?.expected(answers)
      compareBodies(body, expected, { tally, ids, where: `${path} at ${known.cutAtMs}` })
    }
  }
  return byRoute
}
