/** Ingest of a chain that branches, through two proxies that spoil the answers, with restarts: what is left in the log. */
import assert from 'node:assert/strict'
import { pino } from 'pino'
import { isOperationError } from '../../../infra/errors.ts'
import { createMemoryLog } from '../../../infra/log/memory-log.ts'
import { createMemoryRegistry } from '../../../infra/log/schema-table.ts'
import { decodeLogs } from '../../../ingest/chain-a/decode-logs.ts'
import { createNode } from '../../../ingest/chain-a/node.ts'
import { chainAContracts } from '../../../ingest/chain-a/presets.ts'
import { createRpcSource } from '../../../ingest/chain-a/rpc-source.ts'
import { createIngestCodecs } from '../../../ingest/codecs.ts'
import { type ChainPublisher, createChainPublisher } from '../../../ingest/publish.ts'
import { createRandom, type Random } from '../../../ingest/simulator/random.ts'
import type { ChainSource } from '../../../ingest/source.ts'
import { chainAPartitionCount } from '../../../schemas/topics.ts'
import { type FaultCounts, type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts'
import { idOfFact, type LivingFacts, readLivingFacts } from '../living-facts.ts'
import { type BranchingChain, branchVariants, createBranchingChain } from './branching-chain.ts'

const contracts = chainAContracts('robinhood')
const logger = pino({ level: 'silent' })
const lagBlocks = 2
const recheckBlocks = 6
const busySteps = 40
const calmSteps = 20

export type FaultyRun = Readonly<{
  living: LivingFacts
  /** The identities of the facts of the chain as it is in the end, decoded from its logs in one go. */
  expected: readonly string[]
  counts: FaultCounts & Readonly<{ branches: number; reverts: number; restarts: number }>
}>

export async function runUnderFaults(seed: number): Promise<FaultyRun> {
  const chain = createBranchingChain(seed, contracts.poolManager)
  chain.grow(20)
  const leftOut = new Set<string>()
  const near = await startFaultProxy({ upstream: chain.upstream, seed, leftOut })
  const late = await startFaultProxy({ upstream: chain.upstream, seed: seed + 0.5, leftOut, behindBlocks: 3 })
  try {
    return await runThrough(seed, chain, [near, late])
  } finally {
    await Promise.all([near.stop(), late.stop()])
  }
}

async function runThrough(seed: number, chain: BranchingChain, proxies: readonly FaultProxy[]): Promise<FaultyRun> {
  const random = createRandom(seed, 6)
  const world = createWorld(seed, chain, proxies)
  const log = createMemoryLog({ nowMs: world.nowMs })
  const codecs = await createIngestCodecs(createMemoryRegistry())
  const node = createNode({ urls: proxies.map(({ url }) => url), timeoutMs: 60 })
  const source = createRpcSource({
    ...{ node, contracts, lagBlocks, recheckBlocks, logger },
    ...{ logRangeMax: 5, reorgBlocksMax: 60, backfillMs: 3_600_000, pollMs: 500, delay: world.delay },
  })
  const session: Session = {
    ...{ source, random },
    isEnd: (block) => world.isOver() && block === chain.head() - lagBlocks,
    open: () => createChainPublisher({ ...options, log, codecs, nowMs: world.nowMs }),
  }
  let restarts = 0
  while (!(await ingestOnce(session))) restarts++
  const living = await readLivingFacts(log, codecs)
  const reverts = living.ticks.filter(({ revertedFrom }) => revertedFrom !== null).length
  const expected = factIdsOf(chain)
  return {
    living,
    expected,
    counts: { ...sumOf(proxies), branches: world.branches(), reverts, restarts },
  }
}

const options = { partitionCount: chainAPartitionCount, rulesVersion: 'test', kind: 'chain' } as const

type Session = Readonly<{
  source: ChainSource
  open(): Promise<ChainPublisher>
  random: Random
  isEnd(block: number): boolean
}>

/** Until the end of the chain (true), or a crash before or after an append, or a failure: then it is started again. */
async function ingestOnce({ source, open, random, isEnd }: Session): Promise<boolean> {
  const publisher = await open()
  try {
    for await (const range of source.ranges(publisher.cursor(), publisher.known, new AbortController().signal)) {
      if (random.chance(0.02)) return false
      await publisher.publish(range, null)
      if (random.chance(0.05)) await publisher.repeat(null)
      if (isEnd(range.head.number)) return true
      if (random.chance(0.02)) return false
    }
  } catch (error) {
    if (!isOperationError(error)) throw error
  }
  return false
}

/** Time passes only where ingest waits: then the chain grows, or takes another branch. In the end it is left alone. */
function createWorld(seed: number, chain: BranchingChain, proxies: readonly FaultProxy[]) {
  const random = createRandom(seed, 7)
  let nowMs = 1_700_000_000_000
  let step = 0
  let branches = 0
  const pass = () => {
    step++
    if (step > busySteps) {
      for (const proxy of proxies) proxy.calm()
      // Enough that everything before is read a second time.
      if (step <= busySteps + calmSteps) chain.grow(2, false)
      assert.ok(step < 2000, 'ingest does not come to the end of the chain')
      return
    }
    if (random.chance(0.12)) {
      branches++
      chain.replace(random.whole(1, Math.min(9, chain.head() - 5)), random.pick(branchVariants))
    }
    if (random.chance(0.9)) chain.grow(random.whole(0, 3))
  }
  return {
    // A clock that is set back now and then.
    nowMs: () => nowMs - (random.chance(0.1) ? 5000 : 0),
    isOver: () => step >= busySteps + calmSteps,
    branches: () => branches,
    delay: async (ms: number) => {
      nowMs += ms
      pass()
    },
  }
}

function factIdsOf(chain: BranchingChain): readonly string[] {
  const logs = chain.logsUpTo(chain.head() - lagBlocks)
  const { facts } = decodeLogs(logs, { contracts, book: new Map(), blockAtMsOf: () => 1_700_000_000_000 })
  return facts.map(({ fact }) => idOfFact(fact)).sort()
}

function sumOf(proxies: readonly FaultProxy[]): FaultCounts {
  const sum = { refused: 0, busy: 0, dropped: 0, silent: 0, truncated: 0, stale: 0, jumpedBack: 0 }
  for (const { counts } of proxies)
    for (const fault of Object.keys(sum) as (keyof typeof sum)[]) sum[fault] += counts[fault]
  return sum
}
