/**
 * Runs ingest of a chain with reorgs through two faulty proxies, with restarts. Returns the facts in the log.
 * The proxies may also announce blocks over sockets, and some announcements are false.
 */

import assert from 'node:assert/strict'
import { pino } from 'pino'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { chainADefinition } from '../../../ingest/chain-a/definition.ts'
import { createRpcSource } from '../../../ingest/chain-a/follow/rpc-source.ts'
import { createNode } from '../../../ingest/chain-a/node/node.ts'
import { chainAContracts } from '../../../ingest/chain-a/presets.ts'
import type { ChainAIngestTypes } from '../../../ingest/chain-a/types.ts'
import { createIngestCodecs } from '../../../ingest/codecs.ts'
import { createChainPublisher } from '../../../ingest/publish.ts'
import { createRandom } from '../../../ingest/simulated/random.ts'
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { createHoledLog } from '../../support/log/holed-log.ts'
import { type FaultCounts, type FaultProxy, startFaultProxy } from '../../support/sockets/fault-proxy.ts'
import { type CanonicalFacts, idOfFact, readCanonicalFacts } from '../canonical-facts.ts'
import { ingestOnce, type Session } from '../ingest-once.ts'
import {
  type BranchingChain,
  branchingAtMsOf,
  branchingSenderOf,
  branchVariants,
  createBranchingChain,
} from './branching-chain.ts'
import { oldReserveWei } from './branching-curves.ts'
import { factsOfLogs } from './branching-facts.ts'

const contracts = chainAContracts('robinhood')
const logger = pino({ level: 'silent' })
const lagBlocks = 2
const recheckBlocks = 6
const busySteps = 40
const calmSteps = 20

export type FaultyRun = Readonly<{
  canonical: CanonicalFacts
  /** The final facts, each as a text. The facts of the curve that is older than the chain are checked separately. */
  told: readonly string[]
  /** The expected facts of the final chain, decoded without code of ingest. */
  expected: readonly string[]
  counts: FaultCounts & Readonly<{ heard: number; branches: number; reorgs: number; restarts: number }>
}>

/**
 * With `isPushed`, the proxies also have sockets. Their messages come at random times, so two runs with the
 * same seed differ.
 */
export async function runUnderFaults(seed: number, { isPushed = false } = {}): Promise<FaultyRun> {
  const chain = createBranchingChain(seed, contracts)
  chain.grow(20)
  const leftOut = new Set<string>()
  const near = await startFaultProxy({ upstream: chain.upstream, seed, leftOut })
  const late = await startFaultProxy({ upstream: chain.upstream, seed: seed + 0.5, leftOut, behindBlocks: 3 })
  try {
    return await runThrough(seed, { chain, proxies: [near, late], isPushed })
  } finally {
    await Promise.all([near.stop(), late.stop()])
  }
}

type Through = Readonly<{ chain: BranchingChain; proxies: readonly FaultProxy[]; isPushed: boolean }>

async function runThrough(seed: number, { chain, proxies, isPushed }: Through): Promise<FaultyRun> {
  const random = createRandom(seed, 6)
  const world = createWorld(seed, chain, proxies)
  const log = createHoledLog({ nowMs: world.nowMs })
  const codecs = await createIngestCodecs(chainAStage, createMemoryRegistry())
  // With only two tries, some failures reach the source. The chain may change between the tries.
  const urls = [...proxies.map(({ url }) => url), ...(isPushed ? proxies.map(({ socketUrl }) => socketUrl) : [])]
  const socket = { idleMs: 20, restMs: 1 }
  const node = createNode({ urls, timeoutMs: 60, triesMax: 2, delay: world.delay, socket })
  const source = createRpcSource({
    ...{ node, heads: node.heads, contracts, lagBlocks, recheckBlocks, logger },
    ...{ logRangeMax: 5, reorgBlocksMax: 60, backfillMs: 3_600_000, pollMs: 500, lookGapMs: 0, delay: world.delay },
  })
  const session: Session<ChainAIngestTypes> = {
    ...{ source, random },
    isEnd: (block) => world.isOver() && block === chain.head() - lagBlocks,
    open: () => createChainPublisher({ ...options, log, codecs, nowMs: world.nowMs }),
  }
  let restarts = 0
  while (!(await ingestOnce(session))) restarts++
  const canonical = await readCanonicalFacts(log, codecs)
  const reorgs = canonical.ticks.filter(({ revertedFrom }) => revertedFrom !== null).length
  const expected = textsOf(factsOf(chain))
  const ofOldCurve = new Set(checkOldCurve(chain, canonical.facts))
  const told = textsOf(canonical.facts.filter((fact) => !ofOldCurve.has(fact)))
  return {
    canonical,
    told,
    expected,
    counts: { ...sumOf(proxies), heard: heardBy(proxies), branches: world.branches(), reorgs, restarts },
  }
}

const options = { chain: chainADefinition, kind: 'chain' } as const

/** Time passes only while ingest waits. Each wait adds blocks or replaces some. In the end the chain grows without faults. */
function createWorld(seed: number, chain: BranchingChain, proxies: readonly FaultProxy[]) {
  const random = createRandom(seed, 7)
  let nowMs = 1_700_000_000_000
  let step = 0
  let branches = 0
  const announce = () => {
    for (const proxy of proxies) proxy.announce(chain.head())
  }
  const pass = () => {
    step++
    if (step > busySteps) {
      for (const proxy of proxies) proxy.calm()
      // Adds so many blocks that all earlier blocks are read again.
      if (step <= busySteps + calmSteps) chain.grow(2, false)
      announce()
      assert.ok(step < 2000, 'ingest does not come to the end of the chain')
      return
    }
    if (random.chance(0.12)) {
      branches++
      chain.replace(random.whole(1, Math.min(9, chain.head() - 5)), random.pick(branchVariants))
    }
    if (random.chance(0.9)) chain.grow(random.whole(0, 3))
    announce()
  }
  return {
    // The clock sometimes goes back by 5 s.
    nowMs: () => nowMs - (random.chance(0.1) ? 5000 : 0),
    isOver: () => step >= busySteps + calmSteps,
    branches: () => branches,
    delay: async (ms: number) => {
      nowMs += ms
      pass()
    },
  }
}

const factsOf = (chain: BranchingChain): readonly ChainAFact[] =>
  factsOfLogs(chain.logsUpTo(chain.head() - lagBlocks), {
    emitters: chain.emitters,
    atMsOf: branchingAtMsOf,
    senderOf: branchingSenderOf,
  })

/** Compares the facts of the curve that is older than the log with the reserve on the chain. */
function checkOldCurve(chain: BranchingChain, facts: readonly ChainAFact[]): ChainAFact[] {
  const [found, ...later] = facts
    .filter(({ data }) => 'curve' in data && data.curve === chain.oldCurve.curve)
    .sort((one, other) => one.data.blockNumber - other.data.blockNumber || one.data.logIndex - other.data.logIndex)
  if (!found) {
    assert.equal(chain.reserveWeiAt(chain.oldCurve.curve, chain.head() - lagBlocks), 0n, 'a traded curve is found')
    return []
  }
  assert.equal(found.type, 'CurveFound')
  const foundAt = found.data.blockNumber
  assert.equal(found.data.reserveWei, oldReserveWei + chain.reserveWeiAt(chain.oldCurve.curve, foundAt - 1))
  let reserveWei = found.data.reserveWei
  for (const { type, data } of later) {
    assert.ok(data.blockNumber >= foundAt)
    if (type === 'CurveTraded') reserveWei += data.ethWei - data.feeWei - data.taxWei
    else assert.equal(type, 'CurveGraduated')
  }
  const reserveNow = oldReserveWei + chain.reserveWeiAt(chain.oldCurve.curve, chain.head() - lagBlocks)
  assert.equal(reserveWei, reserveNow, 'no trade of a found curve is missing or counted twice')
  return [found, ...later]
}

const textsOf = (facts: readonly ChainAFact[]): readonly string[] =>
  facts.map((fact) => `${idOfFact(fact)} ${JSON.stringify(sorted(fact.data))}`).sort()

const sorted = (data: object) =>
  Object.entries(data)
    .map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value])
    .sort()

const heardBy = (proxies: readonly FaultProxy[]): number => proxies.reduce((sum, proxy) => sum + proxy.heard(), 0)

function sumOf(proxies: readonly FaultProxy[]): FaultCounts {
  const sum = { refused: 0, busy: 0, dropped: 0, failed: 0, silent: 0, truncated: 0, stale: 0, jumpedBack: 0 }
  for (const { counts } of proxies)
    for (const fault of Object.keys(sum) as (keyof typeof sum)[]) sum[fault] += counts[fault]
  return sum
}
