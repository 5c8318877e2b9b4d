/**
 * Measures the cost of a node that fails some of its requests. The cost is compared with that of a node that
 * never fails. Also measures the cost of a range of blocks in which a new curve is found.
 */
import assert from 'node:assert/strict'
import { pino } from 'pino'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { decodeLogs } from '../../../ingest/chain-a/decode/decode-logs.ts'
import { chainADefinition } from '../../../ingest/chain-a/definition.ts'
import { createRpcSource } from '../../../ingest/chain-a/follow/rpc-source.ts'
import { launchpadsOf } from '../../../ingest/chain-a/launchpads/configured.ts'
import { createNode } from '../../../ingest/chain-a/node/node.ts'
import { chainAContracts } from '../../../ingest/chain-a/presets.ts'
import { createIngestCodecs } from '../../../ingest/codecs.ts'
import { createChainPublisher } from '../../../ingest/publish.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { type BranchingChain, branchingAtMsOf, createBranchingChain } from '../../ingest/chain-a/branching-chain.ts'
import { bookWith } from '../../ingest/known-of.ts'
import { scatteredFaults, startFaultProxy } from '../../support/sockets/fault-proxy.ts'
import { median } from '../rounds.ts'

const shares = [0, 0.05, 0.2, 0.4] as const
const seeds = [1, 2, 3, 4, 5]
const blockCount = 400
const lagBlocks = 2
const contracts = chainAContracts('robinhood')
const logger = pino({ level: 'silent' })

type Read = Readonly<{
  requests: number
  questions: number
  seconds: number
  facts: number
  ranges: number
  finds: number
}>

/**
 * Prints the cost of reading the same blocks for each share of failures: the requests, the calls in them, and
 * the time.
 */
export async function measureFaultyNode(): Promise<void> {
  const chains = seeds.map((seed) => {
    const chain = createBranchingChain(seed, contracts)
    chain.grow(blockCount)
    return { seed, chain }
  })
  console.log(
    `${blockCount} blocks of a branching chain from one URL, ${seeds.length} seeds; the least is 1 / (1 - share of faults):`,
  )
  let calm: readonly Read[] = []
  for (const share of shares) {
    const reads: Read[] = []
    for (const { seed, chain } of chains) reads.push(await readThrough(chain, { seed, share }))
    if (share === 0) {
      calm = reads
      printFinds(
        calm,
        chains.map(({ chain }) => chain),
      )
    }
    for (const [index, { facts }] of reads.entries()) assert.equal(facts, calm[index]?.facts, 'every fact is read')
    const ratio = (of: (read: Read) => number) => (sum(reads, of) / sum(calm, of)).toFixed(2)
    console.log(
      `  ${`${share * 100} %`.padStart(5)} of requests fail: ${String(sum(reads, ({ requests }) => requests)).padStart(6)} requests, ` +
        `${ratio(({ requests }) => requests)} times (least ${(1 / (1 - share)).toFixed(2)}), questions ${ratio(({ questions }) => questions)} times, ` +
        `median ${median(reads.map(({ seconds }) => seconds)).toFixed(1)} s`,
    )
  }
}

/** Prints the additional cost of the ranges in which a new curve is found. Such a range is decoded twice. */
function printFinds(reads: readonly Read[], chains: readonly BranchingChain[]): void {
  const ranges = sum(reads, (read) => read.ranges)
  const decodingMs = chains.map(decodingMsOf).reduce((total, ms) => total + ms, 0) / ranges
  const readingMs = (sum(reads, ({ seconds }) => seconds) * 1000) / ranges
  console.log(
    `  a curve was found in ${sum(reads, ({ finds }) => finds)} of ${ranges} ranges, which are decoded twice: ${decodingMs.toFixed(2)} ms each beside ` +
      `${readingMs.toFixed(1)} ms to read one (${(decodingMs / readingMs).toFixed(3)} x)`,
  )
}

/**
 * Returns the time to decode all logs of the chain one time, in milliseconds. The result is the median, after
 * some rounds to warm up.
 */
function decodingMsOf(chain: BranchingChain): number {
  const logs = chain.logsUpTo(chain.head())
  const curves = { launchpads: launchpadsOf(contracts), found: new Map(), isRefused: () => true }
  const rounds = Array.from({ length: 40 }, () => {
    const startedAtMs = performance.now()
    decodeLogs(logs, { ...{ contracts, curves, blockAtMsOf: branchingAtMsOf }, book: bookWith() })
    return performance.now() - startedAtMs
  })
  return median(rounds.slice(20))
}

const sum = (reads: readonly Read[], of: (read: Read) => number): number =>
  reads.reduce((total, read) => total + of(read), 0)

type Faulty = Readonly<{ seed: number; share: number }>

async function readThrough(chain: BranchingChain, { seed, share }: Faulty): Promise<Read> {
  const leftOut = new Set<string>()
  const rates = scatteredFaults(share)
  const proxy = await startFaultProxy({ upstream: chain.upstream, seed, leftOut, rates })
  const stop = new AbortController()
  const startedAtMs = performance.now()
  try {
    const publisher = await createChainPublisher({
      ...{ chain: chainADefinition, kind: 'chain', nowMs: Date.now, log: createMemoryLog({ nowMs: Date.now }) },
      codecs: await createIngestCodecs(chainAStage, createMemoryRegistry()),
    })
    const source = createRpcSource({
      ...{ node: createNode({ urls: [proxy.url] }), contracts, logger, lagBlocks },
      // The node allows few blocks per request, so a range takes several requests.
      ...{ logRangeMax: 20, recheckBlocks: 0, pollMs: 20 },
    })
    let [facts, ranges, finds] = [0, 0, 0]
    for await (const range of source.ranges(null, publisher.known, stop.signal)) {
      await publisher.publish(range, null)
      facts += range.facts.length
      ranges += 1
      if (range.facts.some(({ fact }) => fact.type === 'CurveFound')) finds += 1
      if (range.head.number === chain.head() - lagBlocks) break
    }
    await publisher.close()
    return { ...proxy.asked(), facts, ranges, finds, seconds: (performance.now() - startedAtMs) / 1000 }
  } finally {
    stop.abort()
    await proxy.stop()
  }
}
