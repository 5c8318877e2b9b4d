/**
 * `npm run soak:kafka -- [rounds] [seed] [stage]`, the stage `chain-a` or `chain-b`: two workers on a real broker, killed,
 * stopped past their session, outvoted by a third, and cut off from their broker, while a market comes in; in sessions of ten
 * rounds, on topics and tables of their own. Afterwards all that was derived is what an undisturbed run derives. Ends early on
 * SIGINT, with what it has, and with 1 where anything differs, or where there were rounds enough and a named point was hardly
 * hit.
 */
import assert from 'node:assert/strict'
import { spared } from '../crash/campaign-report.ts'
import { simulatedChains } from '../crash/simulated-chains.ts'
import { createChaosReport, describeChaos } from './kafka/chaos-report.ts'
import { startCluster, stopCluster } from './kafka/cluster.ts'
import { workerPoints } from './kafka/faults.ts'
import { playSession } from './kafka/play-session.ts'
import { deriveUndisturbed } from './kafka/undisturbed.ts'

const roundsPerSession = 10
/** From so many rounds on, each named point must be among the kills so often. */
const provingRoundCount = 200
const hitCountMin = 3

const [roundText = '200', seedText = '1', stageName = 'chain-a'] = process.argv.slice(2)
const [roundCount, seed] = [Number(roundText), Number(seedText)]
const print = (text: string) => void process.stdout.write(`${text}\n`)
const chain = simulatedChains.find(({ runnable }) => runnable.stage.name === stageName)
assert.ok(chain, `no stage is named ${stageName}`)
const stop = new AbortController()
process.once('SIGINT', () => stop.abort())
process.once('SIGTERM', () => stop.abort())
const startedAtMs = performance.now()
const secondsSoFar = () => Math.round((performance.now() - startedAtMs) / 1000)

print(`${roundCount} rounds of ${stageName}, seed ${seed}`)
const cluster = await startCluster()
const report = createChaosReport()
try {
  const undisturbed = await deriveUndisturbed({ url: cluster.engine.url, name: 'undisturbed' }, chain)
  while (report.rounds < roundCount && !stop.signal.aborted) {
    const session = report.sessions
    const told = report.mismatches.length
    await playSession(
      { cluster, undisturbed, name: `session${session}`, report },
      { roundCount: Math.min(roundsPerSession, roundCount - report.rounds), seed: seed + session, signal: stop.signal },
    )
    for (const sentence of report.mismatches.slice(told)) print(sentence)
    print(`${report.rounds} rounds, ${report.mismatches.length} mismatches, ${secondsSoFar()} s`)
  }
} finally {
  await stopCluster(cluster)
  print(describeChaos(report))
  print(`seed ${seed}, ${secondsSoFar()} s`)
}
const unproved = report.rounds < provingRoundCount ? [] : spared(report, workerPoints, hitCountMin)
for (const sentence of unproved) print(sentence)
// What a session that failed has left waiting must not keep the process.
process.exit(report.mismatches.length + unproved.length === 0 ? 0 : 1)
