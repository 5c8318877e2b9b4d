/** Reads the published ticks between two cursors from the log again. */
import { createSchemaCodec, type SchemaCodec } from '../../infra/codec/schema-codec.ts'
import type { RecordBatch } from '../../infra/log/record-batch.ts'
import { loadSchemas } from '../../infra/log/scan.ts'
import type { StageRecord } from '../../schemas/stage.ts'
import { type Cursor, type Place, placesOf } from './cursor.ts'
import type { FeedLog } from './feed.ts'
import type { PacedReads } from './paced-reads.ts'
import { createTickGrouping, type PublishedTick } from './published-ticks.ts'
import type { StreamedChain } from './row-events.ts'

type Stretch = Readonly<{ from: Cursor; until: Cursor; signal: AbortSignal }>

/** `place`: the index of the partition in cursors. */
export type PlacedTick = Readonly<{ place: number; published: PublishedTick }>

export type Past = Readonly<{
  /**
   * Yields the ticks of all partitions whose records are at or after `from` and before `until`. The ticks of a
   * partition come in the order of the log, and ticks of different partitions in the order in which they were known.
   * If a cursor is inside a tick, only the records on its side are yielded.
   */
  ticksBetween(stretch: Stretch): AsyncGenerator<PlacedTick>
}>

/** The maximum number of bytes that one read returns. A catch-up holds at most one read of each partition. */
const pageBytes = 256 * 1024

type PastDependencies = Readonly<{ open: FeedLog; chains: readonly StreamedChain[]; reads: PacedReads }>

export function createPast({ open, chains, reads }: PastDependencies): Past {
  const places = placesOf(chains.map(({ stage }) => stage))
  const typesOf = new Map(chains.map(({ stage, stream }) => [stage.name, stream.rows.map((rows) => rows.recordType)]))
  const codecs = new Map<string, Promise<SchemaCodec<StageRecord>>>()
  const codecOf = ({ stage }: Place) => {
    const codec = codecs.get(stage.name) ?? createSchemaCodec<StageRecord>(stage.derivedTopic, open.registry)
    codecs.set(stage.name, codec)
    // A registry that was away is asked again.
    codec.catch(() => codecs.delete(stage.name))
    return codec
  }

  async function openLane(place: number, { from, until, signal }: Stretch): Promise<Lane> {
    const { stage, partition } = places[place] as Place
    const codec = await codecOf({ stage, partition })
    const grouping = createTickGrouping({ stage, partition, codec, types: typesOf.get(stage.name) ?? [] })
    const loadedIds = new Set<number>()
    const untilOffset = until[place] ?? 0
    let offset = from[place] ?? 0
    let isRead = offset >= untilOffset
    let ticks: PublishedTick[] = []
    let next = 0
    const take = (published: PublishedTick) => {
      // Ticks without records only move the cursor, so the last of them is enough.
      if (ticks.at(-1)?.records.length === 0) ticks.pop()
      ticks.push(before(published, untilOffset))
      isRead = published.nextOffset >= untilOffset
    }
    const takeBatch = (batch: RecordBatch) => {
      for (const published of grouping.ticksOf(batch)) if (!isRead) take(published)
      offset = batch.nextOffset
      // Records without their tick were read: the cursor is inside a tick that continues in the next batch.
      if (offset >= untilOffset && !grouping.isOpen()) isRead = true
    }
    const readPage = async () => {
      const page = await reads.take(() =>
        open.log.read({ topic: stage.derivedTopic.name, partition, offset }, { bytesMax: pageBytes, signal }),
      )
      // The last offsets before the cursor may have no records.
      if (page.length === 0) isRead = true
      for (const batch of page) {
        await loadSchemas({ codec }, batch, loadedIds)
        takeBatch(batch)
      }
    }
    return {
      place,
      first: () => ticks[next],
      shift: () => void next++,
      async fill() {
        if (next < ticks.length) return
        ticks = []
        next = 0
        while (ticks.length === 0 && !isRead && !signal.aborted) await readPage()
      },
    }
  }

  return {
    async *ticksBetween(stretch) {
      const lanes: Lane[] = []
      for (const place of places.keys()) lanes.push(await openLane(place, stretch))
      for (const lane of lanes) await lane.fill()
      for (let lane = earliest(lanes); lane !== null; lane = earliest(lanes)) {
        const published = lane.first()
        if (published === undefined || stretch.signal.aborted) return
        lane.shift()
        yield { place: lane.place, published }
        await lane.fill()
      }
    },
  }
}

/** One partition. `fill` reads until there is a tick, or until the end of the stretch. */
type Lane = Readonly<{ place: number; first(): PublishedTick | undefined; shift(): void; fill(): Promise<void> }>

function earliest(lanes: readonly Lane[]): Lane | null {
  let found: Lane | null = null
  let foundAtMs = Number.POSITIVE_INFINITY
  for (const lane of lanes) {
    const knownAtMs = lane.first()?.tick.knownAtMs ?? Number.POSITIVE_INFINITY
    if (knownAtMs < foundAtMs) [found, foundAtMs] = [lane, knownAtMs]
  }
  return found
}

/** Returns the part of a tick before the offset. */
const before = (published: PublishedTick, untilOffset: number): PublishedTick =>
  published.nextOffset <= untilOffset
    ? published
    : {
        ...published,
        records: published.records.filter(({ offset }) => offset < untilOffset),
        nextOffset: untilOffset,
      }
