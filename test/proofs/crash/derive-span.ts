/** Runs ingest with its lookup, and the stage, over a fixed span of the simulated market. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../../infra/log/log.ts'
import { runTogether } from '../../../infra/run-together.ts'
import type { IngestCodecs } from '../../../ingest/codecs.ts'
import type { Delay } from '../../../ingest/delay.ts'
import { runLookups } from '../../../ingest/lookups/lookups.ts'
import { runIngest } from '../../../ingest/run-ingest.ts'
import type { ChainSource, PriceReader } from '../../../ingest/source.ts'
import { runStage } from '../../../processors/runtime/run-stage.ts'
import { silentLogger } from '../../replay/stage-log.ts'
import { chainA, type SimulatedChain, type Span } from './simulated-chains.ts'
import { createStepwiseSource, type SteppedClock } from './stepwise-source.ts'

export type SpanOptions = Readonly<{
  /** Default: chain A. */
  chain?: SimulatedChain
  log: Log
  codecs: IngestCodecs
  span: Span
  /** The log stamps its records by this clock. */
  clock: SteppedClock
  /** The log as the stage sees it. Default: `log`. */
  stageLog?: Log
  /** A second lookup answers on this log. Default: there is none. */
  secondLookupLog?: Log
  /**
   * Called before each new range, when everything in the log is processed. `nextAtMs` is the end of the next range.
   */
  onStep?: (nextAtMs: number) => void | Promise<void>
  /**
   * Reads the coin price. Default: no reader. A price answer would come at a random moment, and other tests
   * cover prices.
   */
  readPrice?: PriceReader
  signal?: AbortSignal
}>

/**
 * The time between two snapshots of the stage, in milliseconds. It is small, so that a span has many
 * snapshots. With few new facts, a snapshot comes only after 30 of these intervals.
 */
const snapshotEveryMs = 3
const never = new AbortController().signal

/** Resolves when the span is in the log, with all derived records and answers. */
export async function deriveSpan(options: SpanOptions): Promise<void> {
  const { log, codecs, clock, secondLookupLog } = options
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal ?? never, stop.signal])
  const simulated = (options.chain ?? chainA).simulate(options.span, () => clock.atMs)
  const shared = {
    log,
    codecs,
    nowMs: () => clock.atMs,
    logger: silentLogger,
    signal,
    delay: steppedDelay,
  }
  const source: ChainSource = createStepwiseSource(simulated, {
    log,
    codecs,
    clock,
    onStep: options.onStep ?? (() => {}),
  })
  const chain = { ...simulated, source, readPrice: options.readPrice ?? null }
  const ingest = runIngest({ ...shared, chain })
  await runTogether(
    [
      ingest.then(() => stop.abort()),
      runSpanStage(options, signal),
      ...(secondLookupLog ? [runLookups({ ...shared, chain, log: secondLookupLog })] : []),
    ],
    stop,
  )
}

const runSpanStage = ({ chain = chainA, log, stageLog, codecs }: SpanOptions, signal: AbortSignal): Promise<void> =>
  runStage(
    {
      ...chain.runnable,
      log: stageLog ?? log,
      factCodec: codecs.facts,
      derivedCodec: codecs.derived,
      nowMs: () => performance.now(),
      logger: silentLogger,
      snapshotEveryMs,
    },
    signal,
  )

/**
 * When a source is silent for this time, ingest publishes ticks without blocks. `steppedDelay` lets this wait
 * last until the run ends.
 */
const silenceMs = 1_000
export const steppedDelay: Delay = (ms, signal) =>
  ms === silenceMs
    ? new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
    : sleep(Math.min(ms, 2))
