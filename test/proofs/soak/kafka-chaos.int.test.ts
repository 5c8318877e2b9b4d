/** A sample of `npm run soak:kafka`, and tests that show that the proof can fail. */
import { expect } from 'chai'
import { chainA } from '../crash/simulated-chains.ts'
import { createChaosReport, describeChaos } from './kafka/chaos-report.ts'
import { type Cluster, startCluster, stopCluster } from './kafka/cluster.ts'
import { takeOverMidway, wakeLate } from './kafka/controls.ts'
import { playSession } from './kafka/play-session.ts'
import type { SessionOptions } from './kafka/session.ts'
import { deriveUndisturbed, type Undisturbed } from './kafka/undisturbed.ts'

const seed = 1

describe('workers that share the partitions on a cluster', function () {
  // A quiet machine needs a minute and a half, mostly to wait for sessions to end. A busy machine needs much
  // longer.
  this.timeout(1_800_000)

  let cluster: Cluster
  let undisturbed: Undisturbed
  before(async () => {
    cluster = await startCluster()
    undisturbed = await deriveUndisturbed({ url: cluster.engine.url, name: 'undisturbed' }, chainA)
  })
  after(() => cluster && stopCluster(cluster))

  const optionsOf = (name: string): SessionOptions => ({ cluster, undisturbed, name, report: createChaosReport() })

  it('derive what undisturbed ones derive, once, whatever is done to them and to their broker', async () => {
    const options = optionsOf('disturbed')
    await playSession(options, { roundCount: 3, seed, signal: new AbortController().signal })
    process.stdout.write(`seed ${seed}\n${describeChaos(options.report)}\n`)
    expect(options.report.mismatches).to.deep.equal([])
    expect(options.report.rounds).to.equal(3)
  })

  it('derive something twice where one that stood still is not fenced when it wakes', async () => {
    // How many partitions differ depends on the append at which the worker stopped.
    expect(await wakeLate(optionsOf('unfenced'), 'fence')).not.to.deep.equal([])
  })

  it('derive everything twice where one that takes over does not see what is derived', async () => {
    const found = await takeOverMidway(optionsOf('unseeing'), 'suppression')
    expect(found).to.have.lengthOf(4)
  })
})
