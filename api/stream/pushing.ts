/**
 * Pushes events to the stream and makes headlines (lines of text about new events), with a single reader of
 * the log.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../infra/config.ts'
import { keptSecret } from '../../infra/data-dir/secrets.ts'
import { liveMs } from '../../infra/program.ts'
import type { Logger } from '../../infra/telemetry.ts'
import { type DurationMs, type EpochMs, minuteMs } from '../../schemas/units.ts'
import type { ApiSource } from '../source.ts'
import { type FeedLog, followChains } from './feed.ts'
import type { PublishedTick } from './published-ticks.ts'
import { createStream, type Stream } from './stream.ts'

type StreamDependencies = Readonly<{
  config: Config
  sources: readonly ApiSource[]
  publicBaseUrl: string
  open: FeedLog
  nowMs: () => EpochMs
  logger: Pick<Logger, 'warn' | 'error'>
}>

export const openStream = async ({ config, sources, ...others }: StreamDependencies): Promise<Stream> =>
  createStream({
    ...others,
    chains: sources.flatMap(({ stage, stream }) => (stream === undefined ? [] : [{ stage, stream }])),
    secret: config.STREAM_PASS_SECRET ?? (await keptSecret(config.DATA_DIR, 'stream-passes')),
    isEnabled: config.STREAM_ENABLED,
  })

type PushDependencies = Omit<StreamDependencies, 'publicBaseUrl' | 'config'> &
  Readonly<{
    config: Pick<Config, 'STREAM_ENABLED'>
    stream: Pick<Stream, 'onStart' | 'onTick' | 'fail'>
    /** Receives each line of text about a new event. Undefined: no such lines are made. */
    onHeadline: ((text: string) => void) | undefined
    signal: AbortSignal
    /**
     * Waits for this duration. When the signal aborts, it must resolve early without an error. Default: a
     * wait by the wall clock.
     */
    delay?: (durationMs: DurationMs, signal: AbortSignal) => Promise<void>
  }>

/** The pause before the reader is started again after every chain has failed, in ms. */
const restartPauseMs = minuteMs

/**
 * Pushes events until the signal aborts. Never rejects. After a failure, ends the stream's connections,
 * waits, and tries again.
 */
export async function push(pushing: PushDependencies): Promise<void> {
  const { config, sources, stream, open, onHeadline, nowMs, logger, signal, delay = realDelay } = pushing
  const listeners = [
    ...(config.STREAM_ENABLED ? [stream.onTick] : []),
    ...(onHeadline ? [createHeadlines({ sources, nowMs, show: onHeadline })] : []),
  ]
  const starting = config.STREAM_ENABLED ? { onStart: stream.onStart } : {}
  if (listeners.length === 0) return
  while (!signal.aborted)
    try {
      await followChains({ ...open, sources, listeners, ...starting, nowMs, logger, signal })
    } catch (error) {
      logger.error({ err: error }, `the stream cannot read the log. The next attempt is in ${restartPauseMs / 1000} s`)
      stream.fail()
      await delay(restartPauseMs, signal)
    }
}

const realDelay = async (durationMs: DurationMs, signal: AbortSignal): Promise<void> => {
  await sleep(durationMs, undefined, { signal }).catch(() => {})
}

/** The options of headlines, which are lines of text about new events for a person. */
type Headlines = Readonly<{
  sources: readonly Pick<ApiSource, 'stage' | 'headlineOf'>[]
  nowMs: () => number
  show: (text: string) => void
}>

/** Shows a line of text about each published record that has such a line and is recent. */
function createHeadlines({ sources, nowMs, show }: Headlines): (published: PublishedTick) => void {
  const headlineOf = new Map(sources.map((source) => [source.stage.name, source.headlineOf]))
  return ({ stage, records }) => {
    for (const { key, record } of records) {
      const headline = headlineOf.get(stage.name)?.(key, record)
      if (headline && nowMs() - headline.atMs <= liveMs)
        show(`${new Date(headline.atMs).toISOString().slice(11, 19)}  ${headline.text}`)
    }
  }
}
