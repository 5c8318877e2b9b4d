/**
 * `launch-data replay`: prints the records of the log as JSON lines, or only a survey of their counts, times
 * and gaps.
 */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Config } from '../../config.ts'
import { OperationError } from '../../errors.ts'
import { type KafkaSettings, kafkaSettings } from '../../log/kafka/kafka-settings.ts'
import { sharedLogVariables } from '../../log/open-log.ts'
import { copyTo } from '../../replay/copy-instants.ts'
import { findRange, type HeldReplay, readReplay } from '../../replay/read-replay.ts'
import { realClock } from '../../replay/replay.ts'
import { lineOf } from '../../replay/replayed-record.ts'
import { replayedStages, selectTopics } from '../../replay/replayed-topics.ts'
import { surveyReplay } from '../../replay/survey.ts'
import { parseTime, timeText } from '../../replay/times.ts'
import type { Console } from '../console.ts'
import { openSource } from './open-source.ts'
import { createReplayProgress } from './replay-progress.ts'
import { surveyText } from './survey-text.ts'

export type ReplayArguments = Readonly<{
  from: string
  to: string
  types?: readonly string[]
  topics?: readonly string[]
  speed: string
  isDry: boolean
  /**
   * The prefix of the Kafka topics to which the replay writes. Without a prefix, the replay prints JSON
   * lines.
   */
  prefix?: string
  /** The folder of archive files to read instead of the log. */
  files?: string
}>

type Running = Readonly<{ config: Config; console: Console; signal: AbortSignal; out: NodeJS.WriteStream }>

export async function runReplay(
  { from, to, types, topics, speed, isDry, prefix, files }: ReplayArguments,
  { config, console, signal, out }: Running,
): Promise<void> {
  const nowMs = Date.now()
  const pace = parseSpeed(speed)
  const range = { from: parseTime(from, nowMs), to: parseTime(to, nowMs) }
  const selected = selectTopics(replayedStages(config), { ...(types ? { types } : {}), ...(topics ? { topics } : {}) })
  const toTopics = prefix === undefined ? null : topicsUnder(prefix, config)
  const open = await openSource({ config, logger: console.logger, range, files })
  const progress = createReplayProgress({ to: range.to, speed: pace }, process.stderr)
  try {
    const onWait = (until: number) => progress.say(`waiting for the log to reach ${timeText(until)}`)
    const found = await findRange({ open, topics: selected, range, clock: realClock, signal, onWait })
    if (isDry) return void out.write(`${surveyText(range, await surveyReplay(found))}\n`)
    const printing = { speed: pace, progress, out, signal, logger: console.logger }
    if (toTopics !== null) await writeTopics(found, toTopics, printing)
    else await printRecords(found, printing)
  } finally {
    progress.close()
    await open.close()
  }
}

type Printing = Readonly<{
  speed: number
  progress: ReturnType<typeof createReplayProgress>
  out: NodeJS.WriteStream
  signal: AbortSignal
  logger: Console['logger']
}>

/**
 * Prints a line for each record, and `ReplayEnd` as the last line. The replay ends without an error if the
 * reader of the pipe closes the pipe.
 */
async function printRecords(found: HeldReplay, { speed, progress, out, signal }: Printing): Promise<void> {
  const counted = { records: 0 }
  const lines = linesOf(readReplay(found, { speed, onProgress: progress.reach }), counted)
  const chunks = Number.isFinite(speed) ? lines : inChunks(lines)
  try {
    await pipeline(Readable.from(chunks), out, { end: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return
    throw error
  }
  if (signal.aborted)
    throw new OperationError(
      'program_failed',
      `the replay was stopped after ${counted.records} records, before its end`,
    )
}

type Topics = Readonly<{ kafka: KafkaSettings; prefix: string }>

/**
 * Returns the Kafka settings and the prefix of the topics to write to. Fails if the prefix is empty or
 * belongs to the log that is read.
 */
function topicsUnder(prefix: string, config: Config): Topics {
  const kafka = kafkaSettings(config)
  if (kafka === null)
    throw new OperationError('config_invalid', `--out topic writes to Kafka. Set ${sharedLogVariables}`)
  if (prefix === '' || prefix === kafka.topicPrefix)
    throw new OperationError(
      'config_invalid',
      '--prefix must not be empty, and must differ from KAFKA_TOPIC_PREFIX. A replay must not write into the log that it reads',
    )
  return { kafka, prefix }
}

/** Writes the records to the same topics under another prefix, and prints only the last line, `ReplayEnd`. */
async function writeTopics(found: HeldReplay, { kafka, prefix }: Topics, printing: Printing): Promise<void> {
  const { speed, progress, out, signal } = printing
  const { createKafkaLog } = await import('../../log/kafka/kafka-log.ts')
  let publishedAtMs = 0
  const { brokers, security, replicationFactor } = kafka
  const log = await createKafkaLog({
    ...{ brokers, security, topicPrefix: prefix, nowMs: () => publishedAtMs, logger: printing.logger },
    ...(replicationFactor === undefined ? {} : { replicationFactor }),
  })
  try {
    const atPublished = (atMs: number) => {
      publishedAtMs = atMs
    }
    const onInstant = await copyTo({ log, atPublished }, found.partitions)
    const records = readReplay(found, { speed, onProgress: progress.reach, onInstant })
    for (;;) {
      const { done, value } = await records.next()
      if (!done) continue
      if (value === null || signal.aborted)
        throw new OperationError('program_failed', 'the replay was stopped before its end')
      out.write(`${JSON.stringify({ type: 'ReplayEnd', ...value, prefix })}\n`)
      return
    }
  } finally {
    await log.close()
  }
}

async function* linesOf(records: ReturnType<typeof readReplay>, counted: { records: number }): AsyncGenerator<string> {
  try {
    for (;;) {
      const { done, value } = await records.next()
      if (done) {
        if (value !== null) yield `${JSON.stringify({ type: 'ReplayEnd', ...value })}\n`
        return
      }
      counted.records++
      yield `${lineOf(value.record, value.dataJson)}\n`
    }
  } finally {
    await records.return(null)
  }
}

const chunkLengthMin = 65_536

/** Joins lines into larger chunks, because a separate write of each line would take longer than reading the line. */
async function* inChunks(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = ''
  for await (const line of lines) {
    chunk += line
    if (chunk.length < chunkLengthMin) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}

/**
 * Parses the speed: the number of seconds of recorded time that the replay covers in 1 s of real time.
 * Returns infinity for `max`.
 */
export function parseSpeed(text: string): number {
  if (text === 'max') return Number.POSITIVE_INFINITY
  const speed = Number(text)
  if (Number.isFinite(speed) && speed > 0) return speed
  throw new OperationError(
    'config_invalid',
    `"${text}" is not a speed. Set --speed to max, or to a number above 0 such as 60`,
  )
}
