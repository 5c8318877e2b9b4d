/**
 * `npm run crash -- 300 [seed]` kills the pipeline 300 times, with a restart after each kill. It prints the
 * kills and the differences. The exit code is 1 if anything differs. It is also 1 if there were many kills,
 * but too few at a named point.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atRandomIn, campaignPoints, runCalm, runCampaign } from './campaign.ts'
import { type CampaignReport, spared } from './campaign-report.ts'
import { differences } from './contents.ts'
import { contentsOf, runChild, span } from './killer.ts'
import { describeMoments, lifePhases } from './life.ts'
import { paymentPoints } from './payments.ts'

const named = [...campaignPoints, ...paymentPoints, ...lifePhases.map(atRandomIn)]
/** The least number of kills at each named point, if the campaign has at least `provingKillCount` kills. */
const hitCountMin = 3
const provingKillCount = 2 * hitCountMin * named.length

const [killText = '300', seedText = '1'] = process.argv.slice(2)
const [killCount, seed] = [Number(killText), Number(seedText)]
const print = (text: string) => void process.stdout.write(`${text}\n`)
const startedAtMs = performance.now()
const secondsSoFar = () => Math.round((performance.now() - startedAtMs) / 1000)

print(`${killCount} kills, seed ${seed}, chain seed ${span.seed}`)
const root = mkdtempSync(join(tmpdir(), 'calm-'))
let latest: CampaignReport | null = null
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, endEarly)
const calm = await runCalm({ dataDir: join(root, 'calm'), span })
const report = await runCampaign({
  killCount,
  seed,
  calm,
  sideKillCount: killCount < provingKillCount ? 1 : hitCountMin,
  paymentPoints,
  onKill: (report) => {
    latest = report
  },
  onRun: ({ kills, runs, mismatches }) =>
    print(`run ${runs}: ${kills} kills, ${mismatches.length} mismatches, ${secondsSoFar()} s`),
})
describe(report)
const unproved = killCount < provingKillCount ? [] : spared(report, named, hitCountMin)
const paused = await sleepThroughFiveSeconds()
rmSync(root, { recursive: true })
const mismatches = [...report.mismatches, ...paused]
for (const sentence of [...mismatches, ...unproved]) print(sentence)
print(`${report.kills} kills in ${report.runs} runs and ${secondsSoFar()} s: ${mismatches.length} mismatches`)
process.exitCode = mismatches.length + unproved.length === 0 ? 0 : 1

/** Checks that a process also loses nothing if the whole process is stopped for 5 s and then continued. */
async function sleepThroughFiveSeconds(): Promise<string[]> {
  const paused = { dataDir: join(root, 'paused'), span }
  await runChild({ ...paused, job: 'run' }, { pauseMs: 5_000 })
  return differences(calm.contents, await contentsOf(paused)).map((text) => `after a pause, ${text}`)
}

function describe({ byPoint, moments, restartsMs }: CampaignReport): void {
  for (const [name, count] of Object.entries(byPoint).sort()) print(`${String(count).padStart(5)}  ${name}`)
  for (const line of describeMoments(moments)) print(line)
  const restarts = [...restartsMs].sort((left, right) => left - right)
  const restartAt = (share: number) => Math.round(restarts[Math.floor(share * (restarts.length - 1))] ?? Number.NaN)
  print(`restart to worked off: median ${restartAt(0.5)} ms, p90 ${restartAt(0.9)} ms, of ${restarts.length}`)
}

/** Prints the report so far. A run without a comparison proves nothing, so the exit code is 1. */
function endEarly(): void {
  if (latest !== null) describe(latest)
  print(`ended early after ${latest?.kills ?? 0} kills and ${secondsSoFar()} s`)
  process.exit(1)
}
