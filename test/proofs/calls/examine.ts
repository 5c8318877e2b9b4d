/**
 * Compares the answers for one cut (the time for which the routes answer) with the recount. The first
 * comparison uses the right rules. Each further comparison changes one constant.
 */
import type { Database } from '../../../infra/clickhouse/database.ts'
import { type Branch, branchesOf, type Counts } from './branches.ts'
import { buyAll, check } from './check.ts'
import type { Facts } from './derive/load-facts.ts'
import { type Logged, openWholeShop } from './derive/project.ts'
import { examinePulls } from './examine-pulls.ts'
import type { Parts } from './parts.ts'
import { type Rules, recount, rules } from './recount.ts'
import { buyVerdicts, examineVerdicts } from './verdicts/verdicts.ts'

const hourMs = 3_600_000

/**
 * A changed rule. `needs` is a branch that the run must have taken. Without this branch, the changed rule
 * makes no difference.
 */
type Bent = Readonly<{ name: string; changed: Partial<Rules>; needs?: Branch }>

const bent: readonly Bent[] = [
  { name: 'an anchor 13 s after the post', changed: { anchorDelayMs: 13_000 } },
  { name: 'a win at +60 %', changed: { win: 1.6 } },
  { name: 'a stop at -30 %', changed: { stop: 0.7 } },
  { name: 'a pooled value that counts 10 % more', changed: { kFactor: 1.1 } },
  { name: 'samples every 9 min', changed: { sampleEveryMs: 540_000 } },
  { name: 'a score of 55 min', changed: { scoreMs: 3_300_000 } },
  {
    name: 'no first price after the post',
    changed: { anchorLimitMs: 0 },
    needs: 'anchor is the first price within 2 min',
  },
  { name: 'pulls that leave nothing at all', changed: { rugLeftMax: 0 }, needs: 'pulled in several transactions' },
  { name: 'pulls that leave half', changed: { rugLeftMax: 0.5 }, needs: 'half is taken, and it is no pull' },
  { name: 'an asked price that counts for 1 s', changed: { askedAnchorMs: 1_000 }, needs: 'anchor asked within 15 s' },
  {
    name: 'an asked price that counts for 2 min',
    changed: { askedAnchorMs: 120_000 },
    needs: 'asked at the post: too late',
  },
  { name: 'an asked mark that counts for 2 s', changed: { askedMarkMs: 2_000 }, needs: 'score: asked' },
  { name: 'asked prices at four marks only', changed: { askedMarksMin: [1, 5, 15, 60] }, needs: 'score: asked' },
  { name: 'half as many asked scores at a time', changed: { askedScoresMax: 10 }, needs: 'score: too_many' },
  { name: 'death after 17 failed reads', changed: { deadAfter: 17 }, needs: 'dead' },
  { name: 'dead tokens read every two hours', changed: { deadEvery: 12 }, needs: 'revived' },
  { name: 'markets that are followed if 3 h are left', changed: { followLeadMs: 3 * hourMs } },
  {
    name: 'markets that are kept for an hour',
    changed: { keptMs: hourMs },
    needs: 'market followed beyond its own life',
  },
  { name: 'watches of 40 h', changed: { watchMs: 40 * hourMs }, needs: 'done with a last return' },
]

/** `isWhole`: the run is long enough to take every branch. */
type Cut = Readonly<{ cutAtMs: number; isLast: boolean; isWhole: boolean }>
/** `selling`: the database of the routes, over the same tables. `seen`: the changed rules that have made a difference so far. */
type Examining = Readonly<{
  seen: Set<string>
  world: Logged
  facts: Facts
  database: Database
  selling: Database
  parts: Parts
  print: (text: string) => void
}>

const shownMost = 12

/**
 * Returns false if a field differs, a route has no rows, or a changed constant never made a difference by the
 * last cut.
 */
export async function examine(
  { cutAtMs, isLast, isWhole }: Cut,
  { world, facts, database, selling, parts, print, seen }: Examining,
): Promise<boolean> {
  const shop = await openWholeShop(selling)
  const sold = await parts.time('buying', () => buyAll(shop, database, cutAtMs))
  const verdicts = await parts.time('buying verdicts', () => buyVerdicts(shop, { world, database, cutAtMs }))
  await shop.close()
  print(`at ${new Date(cutAtMs).toISOString()} ${sold.length + verdicts.length} answers were bought`)
  const compare = async (its: Rules) => {
    const counted = await parts.time('recount', async () => recount(facts, its))
    return parts.time('comparison', async () => check(sold, counted))
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
  const precalls = sold.filter(({ path }) => path.endsWith('/precall')).map(({ body }) => body)
  const known = { world, counted, isLast, isWhole, precalls, seen, print }
  isRight = (await parts.time('recount of verdicts', () => examineVerdicts(verdicts, known))) && isRight
  if (isLast)
    isRight = (await parts.time('property', () => examinePulls({ world, selling, cutAtMs, print }))) && isRight
  const counts = branchesOf(counted, cutAtMs)
  if (isLast) isRight = (areAllTaken(counts, print) || !isWhole) && isRight
  const differencesBy = async (changed: Partial<Rules>) =>
    [...(await compare({ ...rules, ...changed })).values()].reduce(
      (sum, { differences }) => sum + differences.length,
      0,
    )
  const areSeen = await areBendsSeen({ counts, without, differencesBy }, { seen, print })
  return isRight && (areSeen || !isLast)
}

type Bending = Readonly<{ counts: Counts; without: number; differencesBy(changed: Partial<Rules>): Promise<number> }>

/**
 * Tries the changed rules that have made no difference so far. Returns true if every rule has now made a
 * difference. Skips a rule if the run never took the branch that the rule needs.
 */
async function areBendsSeen(
  { counts, without, differencesBy }: Bending,
  { seen, print }: Pick<Examining, 'seen' | 'print'>,
): Promise<boolean> {
  let areSeen = true
  for (const { name, changed, needs } of bent.filter((one) => !seen.has(one.name))) {
    if (needs !== undefined && counts.get(needs) === 0) {
      print(`${name}: there is nothing yet that it is about`)
      continue
    }
    const count = await differencesBy(changed)
    print(`${name}: ${count} differences${count > without ? '' : ', so it is NOT SEEN'}`)
    if (count > without) seen.add(name)
    else areSeen = false
  }
  return areSeen
}

/** Returns false if no row took some branch, because such a branch is not tested. */
function areAllTaken(counts: Counts, print: (text: string) => void): boolean {
  for (const [name, count] of counts) print(`${name}: ${count}${count === 0 ? ' NEVER TAKEN' : ''}`)
  return ![...counts.values()].includes(0)
}
