/** Simulates a day of chain B, requests the paid routes about it, and compares the answers with the oracle. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BentRules } from '../../support/oracle/chain-b/bent-rules.ts'
import { recount } from '../../support/oracle/chain-b/recount.ts'
import { rules as rulesAsTheyAre } from '../../support/oracle/chain-b/rules.ts'
import type { BentCopyRules } from './bent-copy-rules.ts'
import { buyAll, checkAll, createKnownAtCuts, factLogOf } from './check.ts'
import { buyCopies, createCopyCheck } from './check-copies.ts'
import type { Tally } from './compare.ts'
import { type DayPlan, liveDay, projectDay } from './day.ts'
import { openShop } from './shop.ts'

export type Proof = Readonly<{
  routes: readonly Readonly<{ route: string; rows: number; values: number; worst: number }>[]
  /** One sentence for each field in which an answer and the oracle differ. */
  differences: readonly string[]
  bursts: number
  graduations: number
  /** The changed rules that make no difference. */
  unseen: readonly string[]
}>

type Proving = Readonly<{
  plan: DayPlan
  /** The cut times. The rows of the day are counted at the last cut. */
  cuts: readonly number[]
  /** The cut times for the hourly routes. The changed rules are tried at the first of these cuts. */
  hourlyCuts: readonly number[]
  bentRules: readonly BentRules[]
  bentCopyRules: readonly BentCopyRules[]
  print: (text: string) => void
}>

export async function prove({ plan, cuts, hourlyCuts, print, ...bent }: Proving): Promise<Proof> {
  const dataDir = await mkdtemp(join(tmpdir(), 'launch-data-answers-'))
  try {
    const day = await liveDay(plan)
    print('the facts are in the log and derived')
    const database = await projectDay(day, dataDir)
    const log = await factLogOf(day)
    const shop = await openShop(database)
    const sold = await buyAll(shop, cuts)
    const copies = await buyCopies(shop, log, hourlyCuts)
    await shop.close()
    await database.close()
    print(`${sold.length + copies.length} answers were bought`)
    const knownBy = createKnownAtCuts(log, sold)
    const known = knownBy(rulesAsTheyAre)
    const last = known.at(-1)
    const found = last && recount(last, rulesAsTheyAre)
    const checkCopies = createCopyCheck(log)
    const tallies = new Map([...checkAll(known, sold), ...checkCopies(copies)])
    print('the oracle has answered')
    const firstCopies = copies.filter(({ cutAtMs }) => cutAtMs === hourlyCuts[0])
    const unseen = [
      ...bent.bentRules.filter(({ rules }) => !knownBy(rules).some((cut) => differs(checkAll([cut], sold, rules)))),
      ...bent.bentCopyRules.filter((rule) => !differs(checkCopies(firstCopies, rule.rules))),
    ]
    return {
      routes: [...tallies].map(([route, { rows, values, worst }]) => ({ route, rows, values, worst })),
      differences: [...tallies.values()].flatMap(({ differences }) => differences),
      bursts: found?.bursts.length ?? 0,
      graduations: found?.graduations.length ?? 0,
      unseen: unseen.map(({ name }) => name),
    }
  } finally {
    await rm(dataDir, { recursive: true })
  }
}

/** True if any field differs. The description of the method may differ. */
const differs = (byRoute: ReadonlyMap<string, Tally>): boolean =>
  [...byRoute.values()].some(({ differences }) => differences.some((text) => !/\.method\./.test(text)))
