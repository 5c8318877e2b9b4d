/**
 * Measures the cost of a chain B node that fails some of its requests. The cost is compared with that of a
 * node that never fails. Also measures the time of a first start.
 */
import assert from 'node:assert/strict'
import { pino } from 'pino'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { chainBDefinition } from '../../../ingest/chain-b/definition.ts'
import { openRpcSource } from '../../../ingest/chain-b/follow/open-rpc-source.ts'
import type { ChainBRange } from '../../../ingest/chain-b/types.ts'
import { createIngestCodecs } from '../../../ingest/codecs.ts'
import { createChainPublisher } from '../../../ingest/publish.ts'
import { createRandom } from '../../../ingest/simulated/random.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import { createFakeChain, type FakeChain } from '../../support/chain-b/fake-helius/chain.ts'
import { failingShare } from '../../support/chain-b/fake-helius/failing-share.ts'
import { type FakeHelius, startFakeHelius } from '../../support/chain-b/fake-helius/server.ts'

const kinds = ['plain', 'helius'] as const
type Kind = (typeof kinds)[number]
const shares = [0, 0.05, 0.2, 0.4] as const
const seeds = [1, 2, 3]
const logger = pino({ level: process.env.FAULTS_LOG_LEVEL ?? 'silent' })

/**
 * The number of slots of a chain that does not grow. The last `unreadSlots` slots are not read, because a
 * node's lists may be incomplete there.
 */
const stillSlots = 300
const unreadSlots = 40
const slotMs = 400
const freshMs = 30_000
const waitMsMax = 180_000
/**
 * How long ingest must stay fresh after a first start, in milliseconds. The largest age is counted only after
 * `settleMs`.
 */
const watchMs = 40_000
const settleMs = 20_000

/**
 * Prints the cost of reading the same slots for each share of failures. Also prints the time of a first start
 * if a fifth of the requests fail.
 */
export async function measureFaultyChainB(): Promise<void> {
  console.log(
    `${stillSlots - unreadSlots} slots of a chain that stands still, ${seeds.length} seeds, an answer in 50 to 150 ms; a tenth ` +
      'of what fails is never answered; the least is 1 / (1 - share of failures):',
  )
  for (const kind of kinds) await measureRequests(kind)
  console.log('a first start, ten minutes behind a chain of 2.5 slots a second, 20 % of requests fail:')
  for (const kind of kinds) await measureFreshness(kind, 0.2)
}

type Faulty = Readonly<{ kind: Kind; seed: number; share: number }>
type Read = Readonly<{ requests: number; facts: number; seconds: number }>

async function measureRequests(kind: Kind): Promise<void> {
  let calm: readonly Read[] = []
  for (const share of shares) {
    const reads = await Promise.all(seeds.map((seed) => readStill({ kind, seed, share })))
    if (share === 0) calm = reads
    for (const [index, { facts }] of reads.entries()) assert.equal(facts, calm[index]?.facts, 'every fact is read')
    const requests = sum(reads)
    console.log(
      `  ${kind.padEnd(6)} ${`${share * 100} %`.padStart(5)} of requests fail: ${String(requests).padStart(5)} requests, ` +
        `${(requests / sum(calm)).toFixed(2)} times (least ${(1 / (1 - share)).toFixed(2)}), ` +
        `slowest ${Math.max(...reads.map(({ seconds }) => seconds)).toFixed(1)} s`,
    )
  }
}

const sum = (reads: readonly Read[]): number => reads.reduce((total, { requests }) => total + requests, 0)

async function readStill({ kind, seed, share }: Faulty): Promise<Read> {
  const chain = await createFakeChain(seed)
  growTo(chain, chain.grow(1)[0]?.slot ?? 0, stillSlots)
  const lastSlot = chain.head().slot - unreadSlots
  const startedAtMs = performance.now()
  const { requests, facts } = await withNode(chain, { kind, seed, share }, async (fake) => {
    let count = 0
    await follow(fake, { kind, lookBackSlots: stillSlots - 10 }, ({ head, facts: found }) => {
      count += found.filter(({ fact }) => fact.data.blockNumber <= lastSlot).length
      return head.number >= lastSlot
    })
    return count
  })
  return { requests, facts, seconds: (performance.now() - startedAtMs) / 1000 }
}

async function measureFreshness(kind: Kind, share: number): Promise<void> {
  const startedAtMs = Date.now()
  const pastSlots = 1600
  const chain = await createFakeChain(7, Math.floor((startedAtMs - pastSlots * slotMs) / 1000))
  const firstSlot = chain.grow(1)[0]?.slot ?? 0
  const live = () => growTo(chain, firstSlot, Math.floor((Date.now() - startedAtMs) / slotMs) + pastSlots)
  live()
  const slotAtStart = chain.head().slot
  const seen = { freshAtMs: null as number | null, worstAgeMs: 0, ageMs: 0, slot: 0 }
  const { requests } = await withNode(chain, { kind, seed: 7, share }, async (fake) => {
    const growing = setInterval(() => fake.announce(live()), slotMs / 2)
    try {
      await follow(fake, { kind, lookBackSlots: 1500, limitMs: waitMsMax + watchMs }, ({ head }) => {
        seen.ageMs = Date.now() - head.atMs
        seen.slot = head.number
        if (seen.freshAtMs === null && seen.ageMs <= freshMs) seen.freshAtMs = Date.now()
        if (seen.freshAtMs === null) return Date.now() - startedAtMs > waitMsMax
        const sinceMs = Date.now() - seen.freshAtMs
        if (sinceMs > settleMs) seen.worstAgeMs = Math.max(seen.worstAgeMs, seen.ageMs)
        return sinceMs > watchMs
      })
      return 0
    } finally {
      clearInterval(growing)
    }
  })
  const seconds = (Date.now() - startedAtMs) / 1000
  const rate = ((seen.slot - slotAtStart + 1500) / seconds).toFixed(1)
  const says =
    seen.freshAtMs === null
      ? `not fresh after ${seconds.toFixed(0)} s: ${(seen.ageMs / 1000).toFixed(0)} s behind`
      : `fresh after ${((seen.freshAtMs - startedAtMs) / 1000).toFixed(0)} s, then at most ${(seen.worstAgeMs / 1000).toFixed(1)} s old`
  console.log(`  ${kind.padEnd(6)} ${says}; ${rate} slots/s, ${(requests / seconds).toFixed(0)} requests/s`)
}

/** Adds blocks until the chain has `slotCount` slots. */
function growTo(chain: FakeChain, firstSlot: number, slotCount: number) {
  const grown = []
  while (chain.head().slot < firstSlot + slotCount) grown.push(...chain.grow(1, true))
  return grown
}

async function withNode(
  chain: FakeChain,
  { kind, seed, share }: Faulty,
  work: (fake: FakeHelius) => Promise<number>,
): Promise<Readonly<{ requests: number; facts: number }>> {
  const random = createRandom(seed, 73)
  const fake = await startFakeHelius({
    ...{ chain, faults: failingShare(seed, share), isHelius: kind === 'helius', pageCount: 1000 },
    takesMs: () => random.whole(50, 150),
  })
  try {
    const facts = await work(fake)
    return { facts, requests: [...fake.calls.values()].reduce((total, count) => total + count, 0) }
  } finally {
    await fake.stop()
  }
}

type Following = Readonly<{ kind: Kind; lookBackSlots: number; limitMs?: number }>
/** Runs ingest from a first start until `isEnd` accepts a range, or until the time limit is reached. */
async function follow(
  { url, wsUrl }: FakeHelius,
  { kind, lookBackSlots, limitMs }: Following,
  isEnd: (range: ChainBRange) => boolean,
): Promise<void> {
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(), limitMs ?? 600_000)
  try {
    const publisher = await createChainPublisher({
      ...{ chain: chainBDefinition, kind: 'chain', nowMs: Date.now, log: createMemoryLog({ nowMs: Date.now }) },
      codecs: await createIngestCodecs(chainBStage, createMemoryRegistry()),
    })
    const node = kind === 'helius' ? ({ kind, url, wsUrl } as const) : ({ kind, url } as const)
    const source = openRpcSource({ node, lookBackSlots, logger })
    for await (const range of source.ranges(null, publisher.known, stop.signal)) {
      await publisher.publish(range, null)
      if (isEnd(range)) break
    }
    await publisher.close()
  } finally {
    clearTimeout(timer)
    stop.abort()
  }
}
