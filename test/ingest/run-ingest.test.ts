import { expect } from 'chai'
import { pino } from 'pino'
import { createMemoryRegistry } from '../../infra/codec/registry/schema-table.ts'
import { OperationError } from '../../infra/errors.ts'
import type { Log } from '../../infra/log/log.ts'
import { chainADefinition } from '../../ingest/chain-a/definition.ts'
import type { ChainARange, ChainASource } from '../../ingest/chain-a/types.ts'
import { createIngestCodecs, type IngestCodecs } from '../../ingest/codecs.ts'
import { type IngestOptions, type IngestProgress, runIngest } from '../../ingest/run-ingest.ts'
import { type ChainATypes, chainAStage } from '../../schemas/chain-a/stage.ts'
import { createHoledLog } from '../support/log/holed-log.ts'
import { blockAtMs, buildRange, buildSwap } from './build-range.ts'
import { readRecords } from './read-records.ts'

/** Creates a source that returns these ranges, and then waits until it is stopped. */
const sourceOf = (ranges: readonly ChainARange[]): ChainASource => ({
  kind: 'simulated',
  async *ranges(_cursor, _book, signal) {
    yield* ranges
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  },
})

describe('ingest of a chain', () => {
  let nowMs: number
  let log: Log
  let codecs: IngestCodecs<ChainATypes>

  beforeEach(async () => {
    nowMs = blockAtMs(20)
    log = createHoledLog({ nowMs: () => nowMs })
    codecs = await createIngestCodecs(chainAStage, createMemoryRegistry())
  })

  const options = ({
    source,
    ...rest
  }: Partial<IngestOptions> & Readonly<{ source: ChainASource; signal: AbortSignal }>): IngestOptions => ({
    chain: { ...chainADefinition, source, lookups: [], readPrice: async () => ({ usd: 3000, atMs: 1 }) },
    log,
    codecs,
    nowMs: () => nowMs,
    logger: pino({ level: 'silent' }),
    delay: async (ms) => {
      await new Promise(setImmediate)
      nowMs += Math.ceil(ms / 100)
    },
    ...rest,
  })
  const ticks = async () =>
    (await readRecords(log, 'chain-a-facts', codecs.facts)).flatMap(({ partition, record }) =>
      partition === 0 && record?.type === 'Tick' ? [record.data] : [],
    )

  it('publishes what the source gives, reports it, and fills its silence with ticks', async () => {
    const stop = new AbortController()
    const progress: IngestProgress[] = []
    const swap = buildSwap(1, { blockNumber: 3 })
    const source = sourceOf([buildRange(1, 10, { facts: [swap] }), { ...buildRange(11, 12), chainHeadNumber: 99 }])
    const reached: number[] = []
    const onTick: IngestOptions['onTick'] = ({ atMs }) => void reached.push(atMs)
    const onProgress = (step: IngestProgress) => void progress.push(step)
    const running = runIngest(options({ source, signal: stop.signal, onProgress, onTick }))
    while ((await ticks()).length < 5) await new Promise(setImmediate)
    stop.abort()
    await running
    const known = await ticks()
    expect(known.slice(0, 5).map(({ seq, source: kind }) => [seq, kind])).to.deep.equal(
      [1, 2, 3, 4, 5].map((seq) => [seq, 'simulated']),
    )
    expect(known.at(-1)).to.include({ blockNumber: 12, ethUsd: 3000, ethUsdAtMs: 1 })
    expect(reached).to.deep.equal(known.map(({ blockAtMs: atMs }) => atMs))
    expect(progress).to.deep.equal([
      { phase: 'live', fromBlock: 1, toBlock: 10, toAtMs: blockAtMs(10), headBlock: 10, facts: 1 },
      { phase: 'live', fromBlock: 11, toBlock: 12, toAtMs: blockAtMs(12), headBlock: 99, facts: 0 },
    ])
  })

  it('calls what is known more than two minutes late a backfill', async () => {
    nowMs = blockAtMs(10) + 120_001
    const stop = new AbortController()
    const source = sourceOf([buildRange(1, 10)])
    const phases: string[] = []
    const onProgress = ({ phase }: IngestProgress) => {
      phases.push(phase)
      stop.abort()
    }
    await runIngest(options({ source, signal: stop.signal, onProgress }))
    expect(phases).to.deep.equal(['backfill'])
  })

  it('says nothing more once it is stopped in a silence', async () => {
    const stop = new AbortController()
    let silences = 0
    const delay = async () => {
      await new Promise(setImmediate)
      silences += 1
      if (silences === 3) stop.abort()
    }
    await runIngest(options({ source: sourceOf([buildRange(1, 10)]), signal: stop.signal, delay }))
    const told = (await ticks()).length
    await new Promise(setImmediate)
    expect([(await ticks()).length, told <= silences]).to.deep.equal([told, true])
  })

  it('ends only when its source has ended', async () => {
    const stop = new AbortController()
    let isEnded = false
    const source: ChainASource = {
      kind: 'simulated',
      async *ranges(_cursor, _book, signal) {
        yield buildRange(1, 10)
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
        for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
        isEnded = true
      },
    }
    await runIngest(options({ source, signal: stop.signal, onProgress: () => stop.abort() }))
    expect(isEnded).to.equal(true)
  })

  it('stops as a whole when the source fails', async () => {
    const source: ChainASource = {
      kind: 'chain',
      // biome-ignore lint/correctness/useYield: it fails before its first range
      async *ranges() {
        throw new OperationError('chain_mismatch', 'another chain')
      },
    }
    const failure = await runIngest(options({ source, signal: new AbortController().signal })).catch((error) => error)
    expect(failure).to.include({ code: 'chain_mismatch' })
  })

  it('stops as a whole when another ingest of the chain fences it', async () => {
    const source = sourceOf([buildRange(1, 10)])
    const running = runIngest(options({ source, signal: new AbortController().signal })).catch((error) => error)
    while ((await ticks()).length === 0) await new Promise(setImmediate)
    await log.openWriter('ingest-chain-a')
    expect(await running).to.include({ code: 'writer_fenced' })
  })

  it('ends when a recording does', async () => {
    const source: ChainASource = {
      kind: 'recorded',
      async *ranges() {
        yield buildRange(1, 2)
      },
    }
    await runIngest(options({ source, signal: new AbortController().signal }))
    expect((await ticks())[0]).to.include({ blockNumber: 2, source: 'recorded' })
  })
})
