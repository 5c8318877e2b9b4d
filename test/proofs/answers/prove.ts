/** A day, what was bought of it, and what the oracle finds of both. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recount } from '../../support/answers-oracle/chain-b/recount.ts'
import { rules } from '../../support/answers-oracle/chain-b/rules.ts'
import type { BentRules } from './bent-rules.ts'
import { buyAll, checkAll, factLogOf, knownAtCuts } from './check.ts'
import { type DayPlan, liveDay, projectDay } from './day.ts'
import { openShop } from './shop.ts'

export type Proof = Readonly<{
  routes: readonly Readonly<{ route: string; rows: number; values: number; worst: number }>[]
  /** One sentence for each field that differs. */
  differences: readonly string[]
  bursts: number
  graduations: number
  /** Of the bent rules, those with which no field would differ. */
  unseen: readonly string[]
}>

type Proving = Readonly<{
  plan: DayPlan
  /** The last one counts the day's rows. */
  cuts: readonly number[]
  bentRules: readonly BentRules[]
  print: (text: string) => void
}>

export async function prove({ plan, cuts, bentRules, print }: Proving): Promise<Proof> {
  const dataDir = await mkdtemp(join(tmpdir(), 'launch-data-answers-'))
  try {
    const day = await liveDay(plan)
    print('the facts are in the log and derived')
    const database = await projectDay(day, dataDir)
    const shop = await openShop(database)
    const sold = await buyAll(shop, cuts)
    await shop.close()
    await database.close()
    print(`${sold.length} answers were bought`)
    const known = knownAtCuts(await factLogOf(day), sold)
    const byRoute = [...checkAll(known, sold)]
    const last = known.at(-1)
    const found = last && recount(last, rules)
    const differsWith = (bent: BentRules) =>
      known.some((cut) => [...checkAll([cut], sold, bent.rules).values()].some(({ differences }) => differences.length))
    return {
      routes: byRoute.map(([route, { rows, values, worst }]) => ({ route, rows, values, worst })),
      differences: byRoute.flatMap(([, tally]) => tally.differences),
      bursts: found?.bursts.length ?? 0,
      graduations: found?.graduations.length ?? 0,
      unseen: bentRules.filter((bent) => !differsWith(bent)).map(({ name }) => name),
    }
  } finally {
    await rm(dataDir, { recursive: true })
  }
}
