/**
 * Reads the records of the log from code: `for await (const record of replay({ from: '-6h', to: 'now', types: ['Burst']
 * }))`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { readConfig } from '../config.ts'
import { logSettings, type OpenReader, openLogReader } from '../log/open-log.ts'
import { findRange, type ReplayClock, type ReplayEnd, type ReplayProgress, readReplay } from './read-replay.ts'
import type { ReplayedRecord, ReplayedType } from './replayed-record.ts'
import { type ReplayedStage, replayedStages, selectTopics } from './replayed-topics.ts'
import { parseTime } from './times.ts'

export type ReplayOptions<
  Type extends ReplayedType = ReplayedType,
  Topic extends ReplayedTopic = ReplayedTopic,
> = Readonly<{
  /**
   * The start of the range, inclusive: epoch ms, or a text such as `-6h` (see `parseTime`). The range selects
   * records by the time at which the service knew them.
   */
  from: number | string
  /** The end of the range, exclusive. It has the same forms as `from`. */
  to: number | string
  /** The record types to read. Default: all types. */
  types?: readonly Type[]
  /** The topics to read. Default: all topics that contain one of the types. */
  topics?: readonly Topic[]
  /**
   * The number of seconds of recorded time that the replay covers in 1 s of real time. Default: as fast as
   * possible.
   */
  speed?: number
  signal?: AbortSignal
  /** Called after the last record of a complete replay, with the number of records and the SHA-256 of all records. */
  onEnd?: (end: ReplayEnd) => void
  onProgress?: (progress: ReplayProgress) => void
  /**
   * The log to read. Default: the log and the stages that the environment names. If the caller passes a log, the caller
   * closes it.
   */
  log?: ReplayLog
}>

type ReplayedTopic = ReplayedRecord['topic']
type Wanted<Type, Topic> = Extract<ReplayedRecord, Readonly<{ type: Type; topic: Topic }>>

export type ReplayLog = Readonly<{
  open: Pick<OpenReader, 'log' | 'registry' | 'holdFrom' | 'wholeRange'>
  stages: readonly ReplayedStage[]
  clock?: ReplayClock
}>

/**
 * Yields every record of the range in the total order (`in-order.ts`), so causes come before results. Fails
 * with `range_not_held` if the log does not hold the whole range. The error names the held range.
 */
export async function* replay<
  const Type extends ReplayedType = ReplayedType,
  const Topic extends ReplayedTopic = ReplayedTopic,
>(options: ReplayOptions<Type, Topic>): AsyncGenerator<Wanted<Type, Topic>, void> {
  if (options.log !== undefined) return yield* replayOf(options, options.log)
  const config = readConfig()
  const logger = pino({ level: 'silent' })
  const open = await openLogReader(logSettings(config, { nowMs: Date.now, logger }))
  try {
    yield* replayOf(options, { open, stages: replayedStages(config) })
  } finally {
    await open.close()
  }
}

export const realClock: ReplayClock = {
  nowMs: Date.now,
  delay: (durationMs, signal) => sleep(durationMs, undefined, { signal }).catch(() => {}),
}

async function* replayOf<Type extends ReplayedType, Topic extends ReplayedTopic>(
  { from, to, types, topics, speed, signal, onEnd, onProgress }: ReplayOptions<Type, Topic>,
  { open, stages, clock = realClock }: ReplayLog,
): AsyncGenerator<Wanted<Type, Topic>, void> {
  const nowMs = clock.nowMs()
  const instant = (time: number | string) => (typeof time === 'number' ? time : parseTime(time, nowMs))
  const selection = { ...(types ? { types } : {}), ...(topics ? { topics } : {}) }
  const found = await findRange({
    open,
    topics: selectTopics(stages, selection),
    range: { from: instant(from), to: instant(to) },
    clock,
    signal: signal ?? new AbortController().signal,
  })
  const records = readReplay(found, { speed: speed ?? Number.POSITIVE_INFINITY, ...(onProgress ? { onProgress } : {}) })
  try {
    for (;;) {
      const { done, value } = await records.next()
      if (done) return void (value !== null && onEnd?.(value))
      // This type is correct, because only records of the wanted types and topics are read.
      yield value.record as Wanted<Type, Topic>
    }
  } finally {
    await records.return(null)
  }
}
