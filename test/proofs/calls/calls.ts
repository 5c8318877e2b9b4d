/**
 * `npm run calls`: a simulated day (`-- week`: seven; `-- 6`: so many hours) of both chains and 200 callers goes through the whole
 * pipeline; then outcomes, leaderboards, precalls and verdicts, bought over HTTP, are held field by field against a recount from
 * the facts, in SQL and by the oracles. Constants of the recount are bent one after the other: each must be seen. Exit code 1 when a field differs, a bent
 * constant is not seen, or there was nothing to compare.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buyAll, check } from './check.ts'
import { type LivePlan, runLive } from './live.ts'
import { loadFacts } from './load-facts.ts'
import { createWorld, openWholeShop, project } from './project.ts'
import { prepare, type Rules, recount, rules } from './recount.ts'
import { buyVerdicts, examineVerdicts } from './verdicts/verdicts.ts'

const hourMs = 3_600_000
const fromMs = Date.UTC(2026, 8, 1)
const asked = process.argv[2] ?? 'day'
const hours = { day: 24, week: 168 }[asked] ?? Number(asked)
const plan: LivePlan = {
  ...{ seed: 1, fromMs, toMs: fromMs + hours * hourMs, callers: 200, callsPerHour: 60 },
  ...{ chainALaunchesPerDay: 640, chainBLaunchesPerDay: 3600 },
}
const bent: readonly Readonly<{ name: string; changed: Partial<Rules> }>[] = [
  { name: 'an anchor 13 s after the post', changed: { anchorDelayMs: 13_000 } },
  { name: 'a win at +60 %', changed: { win: 1.6 } },
  { name: 'a pooled value that counts 10 % more', changed: { kFactor: 1.1 } },
  { name: 'samples every 9 min', changed: { sampleMs: 540_000 } },
  { name: 'a score of 55 min', changed: { scoreMs: 3_300_000 } },
]

const startedAtMs = performance.now()
const elapsedSec = () => Math.round((performance.now() - startedAtMs) / 1000)
const print = (text: string) => void process.stdout.write(`${String(elapsedSec()).padStart(4)} s  ${text}\n`)

const dataDir = await mkdtemp(join(tmpdir(), 'launch-data-calls-'))
try {
  const world = await createWorld(fromMs)
  await runLive(plan, { ...world, signal: new AbortController().signal }, async (atMs) => {
    if ((atMs - fromMs) % (6 * hourMs) === 0) print(`${(atMs - fromMs) / hourMs} h are derived`)
  })
  print(`${hours} h of facts are in the log and derived: ${((60 * hours) / elapsedSec()).toFixed(1)} h/min`)
  const database = await project(world, dataDir)
  print('they are in the tables')
  await loadFacts(world, database)
  await prepare(database)
  const shop = await openWholeShop(database)
  const cuts = [...new Set([Math.floor(hours / 2), hours - 1])].map((hour) => fromMs + hour * hourMs)
  const sold = await buyAll(shop, database, cuts)
  print(`${sold.length} answers were bought`)
  const verdicts = []
  for (const cutAtMs of cuts) verdicts.push(await buyVerdicts(shop, { world, database, cutAtMs }))
  await shop.close()
  print(`${verdicts.flat().length} verdicts were bought`)
  await recount(database, '_0')
  const found = await check(sold, { database, suffix: '_0', rules })
  for (const [route, { rows, values, differences }] of found) {
    print(`${route}: ${rows} rows, ${values} values, ${differences.length} differences`)
    for (const difference of differences.slice(0, 12)) print(`  ${difference}`)
  }
  const unseen: string[] = []
  for (const [index, { name, changed }] of bent.entries()) {
    const its = { ...rules, ...changed }
    await recount(database, `_${index + 1}`, its)
    const otherwise = await check(sold, { database, suffix: `_${index + 1}`, rules: its })
    const count = [...otherwise.values()].reduce((sum, { differences }) => sum + differences.length, 0)
    print(`${name}: ${count} differences`)
    const without = [...found.values()].reduce((sum, { differences }) => sum + differences.length, 0)
    if (count <= without) unseen.push(name)
  }
  const known = { world, database, suffix: '_0', callRules: rules }
  let areVerdictsRight = true
  for (const [index, some] of verdicts.entries()) {
    const isBent = index === verdicts.length - 1
    areVerdictsRight = (await examineVerdicts(some, { ...known, isBent, print })) && areVerdictsRight
  }
  await database.close()
  if (unseen.length > 0) print(`not seen: ${unseen.join(', ')}`)
  const all = [...found.values()]
  const isRight =
    all.every(({ rows, differences }) => rows > 0 && differences.length === 0) &&
    unseen.length === 0 &&
    areVerdictsRight
  print(isRight ? 'all fields are equal, and each bent constant is seen' : 'NOT EQUAL')
  process.exitCode = isRight ? 0 : 1
} finally {
  await rm(dataDir, { recursive: true })
}
