/** Generates random logs of two chains. Also computes the expected order of their records by brute force. */
import fc from 'fast-check'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createSchemaCodec, type SchemaRegistry } from '../../../infra/codec/schema-codec.ts'
import type { Log, NewRecord } from '../../../infra/log/log.ts'
import type { ReplayLog } from '../../../infra/replay/replay.ts'
import type { ReplayedRecord } from '../../../infra/replay/replayed-record.ts'
import { replayedStages } from '../../../infra/replay/replayed-topics.ts'
import { topics } from '../../../schemas/topics.ts'
import { buildSendersAnswered, buildSwap, buildTick, second, testPool } from '../../support/builders/build-facts.ts'

const partitions = [0, 1, 2, 3]

/** A record with its topic. */
type Written = Readonly<{ topic: string; partition: number; type: string; data: object }>

/** An append of ingest or of a stage: some records, and then the tick in every partition. */
export type Step = Readonly<{ records: readonly Written[]; tick: readonly Written[] }>

const drawnStep = fc.record({
  chain: fc.constantFrom('chain-a', 'chain-b'),
  /** The time after the previous tick. With 0, both ticks became known at the same time. */
  afterSeconds: fc.constantFrom<number[]>(0, 0, 1, 1, 2, 5),
  swaps: fc.array(fc.record({ partition: fc.nat(3), block: fc.nat(3), txIndex: fc.nat(2), logIndex: fc.nat(3) }), {
    maxLength: 6,
  }),
  answers: fc.array(fc.nat(3), { maxLength: 2 }),
  marks: fc.array(fc.record({ partition: fc.nat(3), atSecond: fc.nat(50) }), { maxLength: 4 }),
})

/** Both chains have a tick at the beginning and at the end, so the log holds the whole range. */
export const drawnSteps = fc.array(drawnStep, { minLength: 1, maxLength: 25 }).map((drawn): readonly Step[] => {
  const idle = { afterSeconds: 1, swaps: [], answers: [], marks: [] }
  const ends = (['chain-a', 'chain-b'] as const).map((chain) => ({ ...idle, chain }))
  let atSecond = 0
  const seqs: Record<string, number> = { 'chain-a': 0, 'chain-b': 0 }
  return [...ends, ...drawn, ...ends].map((step) => {
    atSecond += step.afterSeconds
    seqs[step.chain] = (seqs[step.chain] ?? 0) + 1
    return stepOf(step, { atSecond, seq: seqs[step.chain] ?? 0 })
  })
})

type DrawnStep = typeof drawnStep extends fc.Arbitrary<infer Drawn> ? Drawn : never

function stepOf(drawn: DrawnStep, { atSecond, seq }: Readonly<{ atSecond: number; seq: number }>): Step {
  const { chain, swaps, answers, marks } = drawn
  const facts = `${chain}-facts`
  const derived = `${chain}-derived`
  const isA = chain === 'chain-a'
  const tick = buildTick({ seq, blockAtMs: second(atSecond), knownAtMs: second(atSecond + 3) })
  const ofChainA: Written[] = [
    ...swaps.map(({ partition, block, ...place }) => {
      const { type, data } = buildSwap({ blockAtMs: second(atSecond - block), ...place })
      return { topic: facts, partition, type, data }
    }),
    ...answers.map((partition) => ({ topic: facts, partition, ...buildSendersAnswered() })),
  ]
  return {
    records: [
      ...(isA ? ofChainA : []),
      ...marks.map(({ partition, atSecond: rowSecond }) => ({
        ...{ topic: derived, partition, type: 'Withdrawn' },
        data: {
          recordType: 'Burst',
          atMs: second(rowSecond),
          ...(isA ? { pool: testPool, tier: 'main' } : { txHash: null, logIndex: null }),
          name: '',
        },
      })),
    ],
    tick: [facts, derived].flatMap((topic) =>
      partitions.map((partition) => ({ topic, partition, type: 'Tick', data: tick })),
    ),
  }
}

/**
 * Returns steps of chain A only. Each step has a swap at the given second and its tick, and both become known
 * 2 s later.
 */
export const stepsOfSwaps = (atSeconds: readonly number[]): Step[] =>
  atSeconds.map((atSecond, index) => ({
    records: [{ topic: 'chain-a-facts', partition: 1, ...buildSwap({ blockAtMs: second(atSecond) }) }],
    tick: ['chain-a-facts', 'chain-a-derived'].flatMap((topic) =>
      partitions.map((partition) => ({
        ...{ topic, partition, type: 'Tick' },
        data: buildTick({ seq: index + 1, blockAtMs: second(atSecond), knownAtMs: second(atSecond + 2) }),
      })),
    ),
  }))

/** Writes each step as one append. */
export async function writeSteps(log: Log, registry: SchemaRegistry, steps: readonly Step[]): Promise<void> {
  const names = ['chain-a-facts', 'chain-a-derived', 'chain-b-facts', 'chain-b-derived'] as const
  const codecs = new Map<string, Awaited<ReturnType<typeof createSchemaCodec>>>()
  for (const name of names) codecs.set(name, await createSchemaCodec(topics[name], registry))
  const encode = ({ topic, partition, type, data }: Written): NewRecord => ({
    topic,
    partition,
    key: type === 'Tick' ? 'tick' : `0x0${partition}`,
    value: codecs.get(topic)?.encode(type, data) as Buffer,
  })
  const writer = await log.openWriter('test')
  for (const { records, tick } of steps) await writer.append([...records, ...tick].map(encode))
}

/** The log of a replay, over any log. */
export const asReplayLog = (log: Log, registry: SchemaRegistry = createMemoryRegistry()): ReplayLog => ({
  open: { log, registry, holdFrom: () => {} },
  stages: replayedStages({ CHAIN_A_REORG_BLOCKS_MAX: 1200 }),
})

export const knownAtOf = ({ tick }: Pick<Step, 'tick'>): number =>
  (tick[0]?.data as Readonly<{ knownAtMs: number }> | undefined)?.knownAtMs ?? 0

type Placed = Written & Readonly<{ offset: number; knownAt: number }>

/**
 * Returns the records that became known in the range, sorted by all parts of the sort key. Each tick of a
 * stage is listed one time, not one time per partition.
 */
export function sortedByForce(steps: readonly Step[], from: number, to: number): readonly string[] {
  const next = new Map<string, number>()
  const all: Placed[] = []
  for (const { records, tick } of steps)
    for (const written of [...records, ...tick]) {
      const id = `${written.topic}/${written.partition}`
      const offset = next.get(id) ?? 0
      next.set(id, offset + 1)
      all.push({ ...written, offset, knownAt: knownAtOf({ tick }) })
    }
  const inRange = all.filter(({ knownAt }) => from <= knownAt && knownAt < to)
  const sorted = inRange
    .map((each) => ({ each, key: keyOf(each) }))
    .sort((left, right) => compareKeys(left.key, right.key))
  const seen = new Set<string>()
  return sorted
    .filter(({ each }) => {
      if (each.type !== 'Tick') return true
      const id = `${each.topic.slice(0, 7)} ${(each.data as { seq: number }).seq}`
      return !seen.has(id) && seen.add(id)
    })
    .map(({ each }) => nameOf(each))
}

function keyOf({ topic, partition, offset, type, data, knownAt }: Placed): readonly (number | string)[] {
  const rank = type === 'Tick' ? 2 : topic.endsWith('-facts') ? 0 : 1
  const late = [9e15, 0, 0, 0]
  const { blockAtMs, blockNumber, txIndex = 0, logIndex = 0 } = data as Readonly<Record<string, number>>
  const place = blockAtMs === undefined ? late : [blockAtMs, blockNumber ?? 0, txIndex, logIndex]
  return [knownAt, rank, ...place, topic, partition, offset]
}

function compareKeys(left: readonly (number | string)[], right: readonly (number | string)[]): number {
  const index = left.findIndex((value, at) => value !== right[at])
  return index < 0 ? 0 : (left[index] as number) < (right[index] as number) ? -1 : 1
}

export const nameOf = ({ topic, partition, offset, type, knownAt }: Omit<Placed, 'data'> | ReplayedRecord): string =>
  `${topic}/${partition}/${offset} ${type} ${knownAt}`
