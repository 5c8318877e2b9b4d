/**
 * `npm run calls` sends a simulated day of both chains and 200 callers through the whole pipeline.
 * `npm run calls -- --week` simulates seven days, and `npm run calls -- 6` six hours. Near the middle and the
 * end, it buys outcomes, leaderboards, live calls, precalls and verdicts over HTTP. It compares each field with
 * a recount from the facts. Then it changes the constants of the recount one at a time, and each change must
 * make a difference. The exit code is 1 if a field differs, a changed constant makes no difference, or nothing
 * was compared.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase } from '../../../infra/clickhouse/database.ts'
import { deriveInThread } from './derive/derive-thread.ts'
import { openFacts } from './derive/load-facts.ts'
import { createLogCopy } from './derive/log-copy.ts'
import { createWorld, projectOn } from './derive/project.ts'
import { examine } from './examine.ts'
import type { LivePlan } from './live.ts'
import { createParts } from './parts.ts'

const hourMs = 3_600_000
/** The number of simulated hours whose records are written to the tables together. */
const tableHours = 6
/**
 * The time after a whole hour until the service has rebuilt the hourly lists of outcomes and callers, in
 * milliseconds.
 */
const editionMs = 3 * 60_000
/** A shorter run cannot take every branch, because each call is followed for two days. */
const wholeHours = 96
const fromMs = Date.UTC(2026, 8, 1)
const asked = process.argv[2] ?? 'day'
const hours = { day: 24, week: 168 }[asked] ?? Number(asked)
if (!(Number.isInteger(hours) && hours >= 4))
  throw new TypeError('npm run calls -- day | week | a number of hours from 4 on')
const plan: LivePlan = {
  ...{ seed: 1, fromMs, toMs: fromMs + hours * hourMs, callers: 200, callsPerHour: 30 },
  ...{ chainALaunchesPerDay: 505, chainBLaunchesPerDay: 2830 },
}
/**
 * The hours after which answers are checked. In less than six hours, some changed constants make no
 * difference.
 */
const examinedHours = [...(hours >= 12 ? [Math.floor(hours / 2)] : []), hours]

const startedAtMs = performance.now()
const elapsedSec = () => (performance.now() - startedAtMs) / 1000
const print = (text: string) => void process.stdout.write(`${elapsedSec().toFixed(1).padStart(6)} s  ${text}\n`)

const dataDir = await mkdtemp(join(tmpdir(), 'launch-data-calls-'))
const database = await createDatabase({ dataDir, role: 'writer' })
const selling = await createDatabase({ dataDir, role: 'reader' })
try {
  const { log, add } = createLogCopy()
  const { registry } = await createWorld(fromMs)
  const [world, parts] = [{ log, registry }, createParts()]
  const facts = await openFacts(world, database)
  const seen = new Set<string>()
  let [rightCount, ofDerivation] = [0, '']
  for await (const derived of parts.untilEach(
    'tables wait for records',
    deriveInThread({ plan, tellEveryMs: hourMs }),
  )) {
    const hour = (derived.atMs - fromMs) / hourMs
    add(derived.parts)
    ofDerivation = `${derived.busySec.toFixed(1).padStart(8)} s ingest and stages, in their thread; idle ${derived.idleSec.toFixed(1)} s`
    if (hour % tableHours !== 0 && !examinedHours.includes(hour)) continue
    await parts.time('projection and facts', () => Promise.all([projectOn(world, database), facts.readOn()]))
    print(`${hour} h are in the tables`)
    if (!examinedHours.includes(hour)) continue
    const cut = { cutAtMs: derived.atMs - hourMs + editionMs, isLast: hour === hours, isWhole: hours >= wholeHours }
    if (await examine(cut, { world, facts, database, selling, parts, print, seen })) rightCount++
  }
  print(`${facts.trades()} trades, ${(facts.trades() / (hours * 3600)).toFixed(2)} a second`)
  print(ofDerivation)
  for (const [part, sec] of parts.seconds()) print(`${sec.toFixed(1).padStart(8)} s ${part}`)
  const { user, system } = process.cpuUsage()
  print(`${((user + system) / 1e6).toFixed(1).padStart(8)} s of processors, in all threads`)
  const isRight = rightCount === examinedHours.length
  print(isRight ? 'all fields are equal, and each bent constant is seen' : 'NOT EQUAL')
  process.exitCode = isRight ? 0 : 1
} finally {
  await selling.close()
  await database.close()
  await rm(dataDir, { recursive: true })
}
