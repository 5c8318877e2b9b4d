/** Ingest with its lookup, and the stage, over a fixed span of the simulated market. */
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
  /** The one that the log stamps its records by. */
  clock: SteppedClock
  /** What the stage sees of the log; default all. */
  stageLog?: Log
  /** On this log a second lookup answers what the first one answers; default none. */
  secondLookupLog?: Log
  /** When all that the log held is worked off, before each new range, with the end of that. */
  onStep?: (nextAtMs: number) => void | Promise<void>
  /** Default none: when a feed answers is chance, and what becomes of a price is tested elsewhere. */
  readPrice?: PriceReader
  signal?: AbortSignal
}>

/** Small, so that a span has many. */
const snapshotEveryMs = 100
const never = new AbortController().signal

/** Resolves when the span is in the log, derived and answered. */
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

/** Silence of a source, which is filled with ticks by the wall clock, is waited for in vain. */
const silenceMs = 1_000
export const steppedDelay: Delay = (ms, signal) =>
  ms === silenceMs
    ? new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
    : sleep(Math.min(ms, 2))
