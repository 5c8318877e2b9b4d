/**
 * Runs ingest of a chain B that has reorgs. The simulated node is Helius or a plain node, with all faults,
 * and ingest is restarted after failures. Returns the facts in the log.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { createMemoryRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import { chainBDefinition } from '../../../../ingest/chain-b/definition.ts'
import { openRpcSource } from '../../../../ingest/chain-b/follow/open-rpc-source.ts'
import type { ChainBIngestTypes } from '../../../../ingest/chain-b/types.ts'
import { createIngestCodecs } from '../../../../ingest/codecs.ts'
import { type Delay, delay as realDelay } from '../../../../ingest/delay.ts'
import { createChainPublisher } from '../../../../ingest/publish.ts'
import { createRandom } from '../../../../ingest/simulated/random.ts'
import type { ChainBFact } from '../../../../schemas/chain-b/facts.ts'
import { chainBStage } from '../../../../schemas/chain-b/stage.ts'
import { createFakeChain, type FakeChain } from '../../../support/chain-b/fake-helius/chain.ts'
import { expectedFacts } from '../../../support/chain-b/fake-helius/expected-facts.ts'
import { createFaults, type FaultCounts, type Faults } from '../../../support/chain-b/fake-helius/faults.ts'
import { type FakeHelius, startFakeHelius } from '../../../support/chain-b/fake-helius/server.ts'
import { createHoledLog } from '../../../support/log/holed-log.ts'
import { ingestOnce, type Session } from '../../ingest-once.ts'
import { type CanonicalChainB, readCanonicalChainB } from './canonical-facts.ts'

export type NodeKind = 'helius' | 'plain'

export type FaultyRun = Readonly<{
  canonical: CanonicalChainB
  /** The facts of each mint as texts, in the order of the log. */
  told: ReadonlyMap<string, readonly string[]>
  /** The expected facts of the final chain, computed from its script. */
  expected: ReadonlyMap<string, readonly string[]>
  counts: FaultCounts & Readonly<{ branches: number; reorgs: number; restarts: number; sent: number }>
}>

const logger = pino({ level: process.env.FAULTS_LOG_LEVEL ?? 'silent' })
const busySteps = 140
/** The simulated node answers at once, so waits are shortened by a factor of 20. */
const hurried: Delay = (ms, signal) => realDelay(ms / 20, signal)

export async function runUnderFaults(seed: number, kind: NodeKind): Promise<FaultyRun> {
  const chain = await createFakeChain(seed)
  chain.grow(60)
  const faults = createFaults(seed)
  const fake = await startFakeHelius({ chain, faults, isHelius: kind === 'helius' })
  try {
    return await runThrough(seed, kind, { chain, faults, fake })
  } finally {
    await fake.stop()
  }
}

type World = Readonly<{ chain: FakeChain; faults: Faults; fake: FakeHelius }>

async function runThrough(seed: number, kind: NodeKind, world: World): Promise<FaultyRun> {
  const { chain, faults, fake } = world
  const course = createCourse(seed, world)
  const log = createHoledLog({ nowMs: course.nowMs, seed })
  const codecs = await createIngestCodecs(chainBStage, createMemoryRegistry())
  const source = openRpcSource({
    node: kind === 'helius' ? { kind, url: fake.url, wsUrl: fake.wsUrl } : { kind, url: fake.url },
    ...{ lookBackSlots: 40, reorgSlotsMax: 200, pollMs: 400, logger },
    ...{ delay: course.delay, timer: hurried, timeoutMs: 150, triesMax: 2 },
  })
  const session: Session<ChainBIngestTypes> = {
    ...{ source, random: createRandom(seed, 80) },
    isEnd: (slot) => course.isOver(slot),
    open: () => createChainPublisher({ chain: chainBDefinition, kind: 'chain', log, codecs, nowMs: course.nowMs }),
  }
  let restarts = 0
  while (!(await ingestOnce(session))) restarts++
  const canonical = await readCanonicalChainB(log, codecs)
  const [first, last] = [canonical.ticks[0], canonical.ticks.at(-1)]
  assert.ok(first && last, 'the log has ticks')
  const expected = expectedFacts(chain, { fromSlot: first.blockNumber, toSlot: last.blockNumber })
  return {
    canonical,
    told: textsOf(canonical.facts),
    expected: textsOf(expected),
    counts: {
      ...faults.counts,
      ...{ branches: course.branches(), reorgs: canonical.ticks.filter((tick) => tick.revertedFrom !== null).length },
      ...{ restarts, sent: fake.sentCount() },
    },
  }
}

/**
 * Time passes only while ingest waits. Each wait adds blocks or replaces some. In the end the chain grows
 * without faults.
 */
function createCourse(seed: number, { chain, faults, fake }: World) {
  const random = createRandom(seed, 81)
  let nowMs = 1_700_000_100_000
  let step = 0
  let branches = 0
  let endSlot: number | null = null
  const grow = () => {
    if (step <= busySteps) return chain.grow(random.whole(0, 4))
    faults.calm()
    endSlot ??= chain.head().slot + 20
    return chain.grow(2, true)
  }
  const pass = () => {
    step++
    assert.ok(step < 3000, 'ingest does not come to the end of the chain')
    const isReplaced = step <= busySteps && random.chance(0.12)
    if (isReplaced) branches++
    fake.announce(isReplaced ? chain.replace(random.whole(3, 14)) : grow())
  }
  return {
    nowMs: () => nowMs,
    isOver: (slot: number) => endSlot !== null && slot >= endSlot,
    branches: () => branches,
    delay: async (ms: number) => {
      nowMs += ms
      pass()
      // Waits in real time, because sent messages are still on their way.
      await sleep(random.whole(0, 4))
    },
  }
}

function textsOf(
  facts: readonly Readonly<{ key: string; fact: ChainBFact }>[],
): ReadonlyMap<string, readonly string[]> {
  const texts = new Map<string, string[]>()
  for (const { key, fact } of facts) texts.set(key, [...(texts.get(key) ?? []), textOf(fact)])
  return new Map([...texts].sort(([left], [right]) => (left < right ? -1 : 1)))
}

const textOf = ({ type, data }: ChainBFact): string =>
  `${type} ${JSON.stringify(
    Object.entries(data)
      .map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value])
      .sort(),
  )}`
