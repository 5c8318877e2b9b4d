import { expect } from 'chai'
import fc from 'fast-check'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import type { Log, NewRecord } from '../../../infra/log/log.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { readAll } from '../../../infra/log/read-back.ts'
import { copyTo } from '../../../infra/replay/copy-instants.ts'
import { findRange, type ReplayPartition, readReplay } from '../../../infra/replay/read-replay.ts'
import { realClock } from '../../../infra/replay/replay.ts'
import { selectTopics } from '../../../infra/replay/replayed-topics.ts'
import { asReplayLog, drawnSteps, knownAtOf, type Step, writeSteps } from './drawn-log.ts'

/** The first appends of a step are those of ingest, and the last is that of the stage. */
const appendsOf = (steps: readonly Step[]): readonly Step[] =>
  steps.flatMap(({ records, tick }) => [
    ...records.filter(isFact).map((record) => ({ records: [record], tick: [] })),
    { records: [], tick: tick.filter(isFact) },
    { records: records.filter((record) => !isFact(record)), tick: tick.filter((record) => !isFact(record)) },
  ])
const isFact = ({ topic }: Readonly<{ topic: string }>): boolean => topic.endsWith('-facts')

/** A log that calls this function before each append. */
const watched = (log: Log, onAppend: (records: readonly NewRecord[]) => void): Log => ({
  ...log,
  async openWriter(writerId) {
    const writer = await log.openWriter(writerId)
    const append = async (records: readonly NewRecord[]) => {
      onAppend(records)
      await writer.append(records)
    }
    return { ...writer, append }
  },
})

/** Writes each append this much later than the one before, in ms. Copies all but the last tick of each chain. */
async function copied(steps: readonly Step[], delaysMs: readonly number[]) {
  let [nowMs, count, publishedAtMs] = [1_790_000_000_000, 0, 0]
  const source = createMemoryLog({ nowMs: () => nowMs })
  const { open, stages } = asReplayLog(source, createMemoryRegistry())
  const onAppend = () => {
    nowMs += delaysMs[count++ % delaysMs.length] ?? 0
  }
  await writeSteps(watched(source, onAppend), open.registry, appendsOf(steps))
  const range = { from: knownAtOf(steps[1] as Step), to: knownAtOf(steps.at(-2) as Step) }
  const { signal } = new AbortController()
  const found = await findRange({ open, topics: selectTopics(stages, {}), range, clock: realClock, signal })
  const target = createMemoryLog({ nowMs: () => publishedAtMs })
  const appended: (readonly NewRecord[])[] = []
  const atPublished = (atMs: number) => {
    publishedAtMs = atMs
  }
  const log = watched(target, (records) => appended.push(records))
  const onInstant = await copyTo({ log, atPublished }, found.partitions)
  for await (const _ of readReplay(found, { speed: Number.POSITIVE_INFINITY, onInstant }));
  return { source, target, appended, partitions: found.partitions }
}

/** The records of a partition, each with its time of publication. */
async function contentOf(log: Log, { source: { topic, partition } }: ReplayPartition): Promise<readonly string[]> {
  const content: string[] = []
  for await (const batch of readAll(log, { topic, partition }))
    for (let index = 0; index < batch.count; index++)
      content.push(`${batch.timestampMsAt(index)} ${batch.keyAt(index)} ${batch.valueAt(index)?.toString('hex')}`)
  return content
}

const drawnRange = drawnSteps.filter((steps) => knownAtOf(steps[1] as Step) < knownAtOf(steps.at(-2) as Step))
const drawnDelays = (...delaysMs: readonly number[]) =>
  fc.array(fc.constantFrom(...delaysMs), { minLength: 1, maxLength: 7 })

describe('a copy of a replay', () => {
  it('has the records of each partition in their order, at their times of publication', () =>
    // A clock that is set back gives a later append an earlier time.
    fc.assert(
      fc.asyncProperty(drawnRange, drawnDelays(0, 1, 40, 600_000, -3), async (steps, delaysMs) => {
        const { source, target, partitions } = await copied(steps, delaysMs)
        for (const partition of partitions) {
          const [all, copy] = [await contentOf(source, partition), await contentOf(target, partition)]
          const end = all.indexOf(copy.at(-1) ?? '') + 1
          expect(copy.at(-1) ?? ' tick ').to.contain(' tick ')
          expect(copy).to.deep.equal(all.slice(end - copy.length, end))
        }
      }),
      { numRuns: 50 },
    ))

  it('keeps the ticks of an append together, and begins with facts', () =>
    fc.assert(
      fc.asyncProperty(drawnRange, drawnDelays(0, 1, 40), async (steps, delaysMs) => {
        const { appended } = await copied(steps, delaysMs)
        for (const records of appended) {
          expect(records.filter(({ key }) => key === 'tick').length % 4).to.equal(0)
          expect(new Set(records.map(isFact)).size).to.equal(1)
        }
        expect(appended[0]?.every(isFact)).to.equal(true)
      }),
      { numRuns: 50 },
    ))
})
