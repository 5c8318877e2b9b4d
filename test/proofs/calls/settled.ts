/** Waits until everything that follows from a chain's facts is in the log: its derived ticks, and the due answers. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Log } from '../../../infra/log/log.ts'
import { scan, type TypedPartition } from '../../../infra/log/scan.ts'
import type { Chain } from '../../../ingest/chain.ts'
import type { IngestCodecs } from '../../../ingest/codecs.ts'

type Lane = { readonly reader: TypedPartition; offset: number; lastSeq: number }
type Named = Readonly<{ questionId: string; revision: number; atMs: number }>
type Settling = Readonly<{
  log: Log
  codecs: IngestCodecs
  chain: Pick<Chain, 'stage' | 'lookups'>
  nowMs: () => number
  /**
   * Is called when no record has arrived for a while. Failed lookups are retried at a later clock time, so
   * this function may advance the clock.
   */
  onIdle?: () => void
}>

/**
 * After this time without a new record, in milliseconds, the pipeline counts as idle. Lookups answer much
 * sooner.
 */
const idleMs = 60
/** After this number of idle times, the wait ends, and lookups without an answer stay open. */
const idleTimesMost = 30

export function createSettled({
  log,
  codecs,
  chain,
  nowMs,
  onIdle = () => {},
}: Settling): (signal: AbortSignal) => Promise<void> {
  const { stage, lookups } = chain
  /** The time from which each open lookup is due, by the name of the lookup. */
  const open = new Map<string, number>()
  const answered = new Set<string>()
  const lanesOf = (topic: string, codec: TypedPartition['codec']): readonly Lane[] =>
    Array.from({ length: stage.factTopic.partitionCount }, (_, partition) => ({
      reader: { log, topic, partition, codec },
      ...{ offset: 0, lastSeq: 0 },
    }))
  const facts = lanesOf(stage.factTopic.name, codecs.facts)
  const derived = lanesOf(stage.derivedTopic.name, codecs.derived)
  const noteQuestions = ({ codec }: TypedPartition, type: string, value: Buffer) => {
    for (const { questionType, answerType, askAfterMs } of lookups) {
      if (type !== questionType && type !== answerType) continue
      const { questionId, revision, atMs } = codec.decode(value).data as Named
      // Two kinds of lookups may have the same kind of answer. So the name of a lookup begins with the type
      // of its answer.
      const name = `${answerType} ${questionId} ${revision}`
      // Only the first answer counts. A request that was already answered needs no second answer.
      if (type === questionType && !answered.has(name)) open.set(name, atMs + askAfterMs)
      else if (type === answerType) {
        open.delete(name)
        answered.add(name)
      }
    }
  }
  const readOn = async (lane: Lane) => {
    const { reader } = lane
    const { endOffset } = await log.bounds(reader.topic, reader.partition)
    if (lane.offset === endOffset) return
    lane.offset = await scan(reader, lane.offset, ({ value }) => {
      const type = value && reader.codec.typeOf(value)
      if (value === null || type === null) return undefined
      if (type === 'Tick') lane.lastSeq = (reader.codec.decode(value).data as Readonly<{ seq: number }>).seq
      noteQuestions(reader, type, value)
      return undefined
    })
  }
  const lanes = [...facts, ...derived]
  const placeOf = () => lanes.map(({ offset }) => offset).join()
  const areDerived = () => facts.every(({ lastSeq }, partition) => derived[partition]?.lastSeq === lastSeq)
  const isOpen = () => [...open.values()].some((dueAtMs) => dueAtMs <= nowMs())
  const idling = createIdling(placeOf, onIdle)
  return async (signal) => {
    idling.begin()
    while (!signal.aborted && idling.times() < idleTimesMost) {
      for (const lane of lanes) await readOn(lane)
      if (areDerived() && !isOpen()) return
      idling.look()
      await nextTurn()
    }
  }
}

/** Calls `onIdle` when nothing has moved for a while. */
function createIdling(placeOf: () => string, onIdle: Settling['onIdle']) {
  let [times, place, movedAtMs] = [0, '', 0]
  const move = () => {
    ;[place, movedAtMs] = [placeOf(), performance.now()]
  }
  return {
    begin() {
      times = 0
      move()
    },
    times: () => times,
    look() {
      if (place !== placeOf()) move()
      if (performance.now() - movedAtMs <= idleMs) return
      onIdle?.()
      times++
      move()
    },
  }
}
