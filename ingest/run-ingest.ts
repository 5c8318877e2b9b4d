/**
 * Runs ingest for one chain: writes the facts and the coin price of the chain to the log, and answers the
 * lookups that other stages request.
 */
import { limited } from '../infra/limited.ts'
import type { Log } from '../infra/log/log.ts'
import { runTogether } from '../infra/run-together.ts'
import type { Logger } from '../infra/telemetry.ts'
import type { BlockNumber, EpochMs } from '../schemas/units.ts'
import type { Chain } from './chain.ts'
import type { IngestCodecs } from './codecs.ts'
import { type Delay, delay as realDelay } from './delay.ts'
import { runLookups } from './lookups/lookups.ts'
import { createPricePoll, type PricePoll } from './poll-price.ts'
import { type ChainPublisher, createChainPublisher } from './publish.ts'
import type { FactRange } from './source.ts'

export type IngestOptions = Readonly<{
  chain: Chain
  log: Log
  codecs: IngestCodecs
  nowMs: () => EpochMs
  logger: Logger
  signal: AbortSignal
  onProgress?: (progress: IngestProgress) => void
  /** Receives the newest tick in the log: at the start, and after each append of a tick. */
  onTick?: (tick: Readonly<{ knownAtMs: EpochMs; atMs: EpochMs }>) => void
  delay?: Delay
}>

/**
 * The progress that is reported each time a range of blocks is in the log. `headBlock` is the newest block of
 * the chain, or `toBlock` if the source does not give the newest block.
 */
export type IngestProgress = Readonly<{
  phase: 'backfill' | 'live'
  fromBlock: BlockNumber
  toBlock: BlockNumber
  /** The time of `toBlock`. */
  toAtMs: EpochMs
  headBlock: BlockNumber
  facts: number
}>

/** The minimum age of a range's last block with which the range counts as backfill, in ms. */
const backfillAgeMs = 120_000
/**
 * The time without a new range of blocks after which ingest appends a tick, in ms. The tick shows readers
 * that nothing is new.
 */
const silenceMs = 1_000

/**
 * Runs until the signal aborts or the source of the blocks ends, and resolves when everything is closed. The
 * first failure of a part stops all parts. The source fails with `chain_mismatch`, `reorg_too_deep`,
 * `node_unreachable` or `range_refused`. The writer fails with `writer_fenced` if a later ingest of the chain
 * has opened the same writer.
 */
export async function runIngest(options: IngestOptions): Promise<void> {
  const { chain } = options
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])
  const delay = options.delay ?? realDelay
  const publisher = await createChainPublisher({ ...options, kind: chain.source.kind })
  const prices = createPricePoll({
    ...{ readPrice: chain.readPrice, delay, nowMs: options.nowMs },
    initial: publisher.cursor()?.price ?? null,
  })
  reportTick(options, publisher)
  try {
    const publishing = publishAll({ ...options, delay, signal, publisher, prices }).then(() => stop.abort())
    const beside = [runLookups({ ...options, delay, signal }), prices.run(signal), publisher.followCalls(signal)]
    await runTogether([publishing, ...beside], stop)
  } finally {
    await publisher.close()
  }
}

type Publishing = IngestOptions & Readonly<{ delay: Delay; publisher: ChainPublisher; prices: PricePoll }>

async function publishAll(publishing: Publishing): Promise<void> {
  const { chain, publisher, signal } = publishing
  const stop = new AbortController()
  const sourceSignal = AbortSignal.any([signal, stop.signal])
  const ranges = chain.source.ranges(publisher.cursor(), publisher.known, sourceSignal)[Symbol.asyncIterator]()
  let next = ranges.next()
  try {
    while (!signal.aborted) {
      const outcome = await publishNext(publishing, next)
      if (outcome === 'ended') return
      if (outcome === 'published') next = ranges.next()
    }
  } finally {
    stop.abort()
    // If `next` fails, the error was already thrown above, or it only results from the stop. So it is ignored
    // here.
    await Promise.allSettled([next])
  }
}

type Outcome = 'published' | 'silent' | 'ended'

async function publishNext(publishing: Publishing, next: Promise<IteratorResult<FactRange>>): Promise<Outcome> {
  const { publisher, prices, signal } = publishing
  const result = await orSilence(next, publishing)
  if (result === 'silence') {
    if (signal.aborted) return 'silent'
    await publisher.repeat(prices.latest())
    reportTick(publishing, publisher)
    return 'silent'
  }
  if (result.done) return 'ended'
  await publisher.publish(result.value, prices.latest())
  reportTick(publishing, publisher)
  report(publishing, result.value)
  return 'published'
}

/** Returns the next range of the source, or `silence` if none comes within `silenceMs`. */
async function orSilence<Result>(next: Promise<Result>, { delay, signal }: Publishing): Promise<Result | 'silence'> {
  const waiting = limited([signal])
  const silence = delay(silenceMs, waiting.signal).then(() => 'silence' as const)
  try {
    return await Promise.race([next, silence])
  } finally {
    waiting.abort()
    waiting.release()
  }
}

function reportTick({ onTick }: Pick<IngestOptions, 'onTick'>, { cursor }: Pick<ChainPublisher, 'cursor'>): void {
  const tick = cursor()
  if (tick) onTick?.(tick)
}

function report({ onProgress, nowMs }: Publishing, { fromBlock, head, facts, chainHeadNumber }: FactRange): void {
  onProgress?.({
    phase: nowMs() - head.atMs > backfillAgeMs ? 'backfill' : 'live',
    fromBlock,
    toBlock: head.number,
    toAtMs: head.atMs,
    headBlock: chainHeadNumber ?? head.number,
    facts: facts.length,
  })
}
