/**
 * `npm run soak:kafka -- [rounds] [seed] [stage]` disturbs two workers of the stage (`chain-a` or `chain-b`)
 * on a real broker while simulated facts arrive. Workers are killed, stopped, joined by another worker, and
 * cut off from the broker. A session has ten rounds and its own topics and tables. At the end, the derived
 * records must be those of an undisturbed run. SIGINT ends the command early with a report. The exit code is
 * 1 if anything differs, or if a long run killed workers too rarely at a point.
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
/**
 * A run of at least `provingRoundCount` rounds must kill a worker `hitCountMin` times at each of `workerPoints`.
 */
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
// A failed session can leave open work, which must not keep the process alive.
process.exit(report.mismatches.length + unproved.length === 0 ? 0 : 1)
