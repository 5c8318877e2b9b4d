/** What is sold at a cut, held against the recount: with the right rules, then with constants that are bent. */
import type { Database } from '../../../infra/clickhouse/database.ts'
import { branchesOf, type Counts } from './branches.ts'
import { buyAll, check } from './check.ts'
import { examinePulls } from './examine-pulls.ts'
import type { Facts } from './load-facts.ts'
import type { Parts } from './parts.ts'
import { type Logged, openWholeShop } from './project.ts'
import { type Rules, recount, rules } from './recount.ts'
import { buyVerdicts, examineVerdicts } from './verdicts/verdicts.ts'

const bent: readonly Readonly<{ name: string; changed: Partial<Rules> }>[] = [
  { name: 'an anchor 13 s after the post', changed: { anchorDelayMs: 13_000 } },
  { name: 'a win at +60 %', changed: { win: 1.6 } },
  { name: 'a pooled value that counts 10 % more', changed: { kFactor: 1.1 } },
  { name: 'a stop at -30 %', changed: { stop: 0.7 } },
  { name: 'samples every 9 min', changed: { sampleEveryMs: 540_000 } },
  { name: 'a score of 55 min', changed: { scoreMs: 3_300_000 } },
  { name: 'a first price that counts for 5 s', changed: { anchorLimitMs: 5_000 } },
  { name: 'a pull that leaves 5 %', changed: { rugLeftMax: 0.05 } },
  { name: 'no pull at all', changed: { rugLeftMax: -1 } },
  { name: 'an asked price that counts for 5 s', changed: { askedAnchorMs: 5_000 } },
  { name: 'an asked mark that counts for 2 s', changed: { askedMarkMs: 2_000 } },
  { name: 'asked prices at the first marks only', changed: { askedMarksMin: [1, 5, 15, 60] } },
  { name: 'five asked scores at a time', changed: { askedScoresMax: 5 } },
  { name: 'death after 17 failed reads', changed: { deadAfter: 17 } },
  { name: 'dead tokens read every two hours', changed: { deadEvery: 12 } },
  { name: 'markets that are followed if 3 h are left', changed: { followLeadMs: 3 * 3_600_000 } },
  { name: 'markets that are kept for a day', changed: { keptMs: 24 * 3_600_000 } },
  { name: 'watches of 40 h', changed: { watchMs: 40 * 3_600_000 } },
]

type Cut = Readonly<{ cutAtMs: number; areCallsBent: boolean; areVerdictsBent: boolean }>
/** `selling`: the same tables, read by the routes. */
type Examining = Readonly<{
  world: Logged
  facts: Facts
  database: Database
  selling: Database
  parts: Parts
  print: (text: string) => void
}>

const shownMost = 12

/** False: a field differs, a bent constant is not seen, or a route told of nothing. */
export async function examine(
  { cutAtMs, areCallsBent, areVerdictsBent }: Cut,
  { world, facts, database, selling, parts, print }: Examining,
): Promise<boolean> {
  const shop = await openWholeShop(selling)
  const sold = await parts.time('buying', () => buyAll(shop, database, cutAtMs))
  const verdicts = await parts.time('buying verdicts', () => buyVerdicts(shop, { world, database, cutAtMs }))
  await shop.close()
  print(`at ${new Date(cutAtMs).toISOString()} ${sold.length + verdicts.length} answers were bought`)
  const compare = async (its: Rules) => {
    const counted = await parts.time('recount', async () => recount(facts, its))
    return parts.time('comparison', () => check(sold, { database, counted }))
  }
  const found = await compare(rules)
  for (const [route, { rows, values, differences }] of found) {
    print(`${route}: ${rows} rows, ${values} values, ${differences.length} differences`)
    for (const difference of differences.slice(0, shownMost)) print(`  ${difference}`)
  }
  const all = [...found.values()]
  const without = all.reduce((sum, { differences }) => sum + differences.length, 0)
  let isRight = without === 0 && all.every(({ rows }) => rows > 0)
  const counted = recount(facts, rules)
  const known = { world, database, counted, isBent: areVerdictsBent, print }
  isRight = (await parts.time('recount of verdicts', () => examineVerdicts(verdicts, known))) && isRight
  if (areVerdictsBent)
    isRight = (await parts.time('property', () => examinePulls({ world, selling, cutAtMs, print }))) && isRight
  if (areVerdictsBent) isRight = areAllTaken(branchesOf(counted, cutAtMs), print) && isRight
  for (const { name, changed } of areCallsBent ? bent : []) {
    const otherwise = await compare({ ...rules, ...changed })
    const count = [...otherwise.values()].reduce((sum, { differences }) => sum + differences.length, 0)
    print(`${name}: ${count} differences${count > without ? '' : ', so it is NOT SEEN'}`)
    isRight &&= count > without
  }
  return isRight
}

/** A branch that was never taken says nothing of the code. */
function areAllTaken(counts: Counts, print: (text: string) => void): boolean {
  for (const [name, count] of counts) print(`${name}: ${count}${count === 0 ? ' NEVER TAKEN' : ''}`)
  return ![...counts.values()].includes(0)
}
