/**
 * Tests a task with changed rules: what the task writes, and how it continues a log that was written with the
 * default rules.
 */
import { expect } from 'chai'
import { createMemoryRegistry } from '../../infra/codec/registry/schema-table.ts'
import type { Log } from '../../infra/log/log.ts'
import { parseRules } from '../../infra/parse-rules.ts'
import { createTestDriver } from '../../processors/runtime/test-driver.ts'
import { createChainA } from '../../processors/stages.ts'
import type { ChainATypes } from '../../schemas/chain-a/stage.ts'
import { isTick } from '../../schemas/stage.ts'
import { createHoledLog } from '../support/log/holed-log.ts'
import { type KeyedRecord, lastSeqOf } from './keyed-record.ts'
import { marketFacts } from './market/market-facts.ts'
import { reorgedMarket } from './reorgs/reorged-market.ts'
import { appendFacts, derivedBytes, type OpenStage, openStage, readAll, runUntil } from './stage-log.ts'

const partition = 0
const higher = { chainA: { bursts: { main: { inflowEthMin: 1.5 }, lite: { inflowEthMin: 1.2 } } } }
const createOf = (said: object) => createChainA(parseRules(JSON.stringify(said), 'test'))

describe('a task under other rules', () => {
  let standard: OpenStage<ChainATypes>
  let other: OpenStage<ChainATypes>
  before(async () => {
    const registry = createMemoryRegistry()
    standard = await openStage(createOf({}), registry)
    other = await openStage(createOf(higher), registry)
  })

  type Records = readonly KeyedRecord<ChainATypes>[]
  const logOf = async (records: Records): Promise<Log> => {
    const log = createHoledLog({ nowMs: () => 0 })
    await appendFacts({ ...standard, log, partition }, records)
    return log
  }
  type Run = Readonly<{ log: Log; ticks: readonly number[]; snapshotEveryMs?: number }>
  /** Runs up to each of the ticks in turn. This is like a service that is restarted at these ticks. */
  const run = async (open: OpenStage<ChainATypes>, { ticks, ...options }: Run) => {
    for (const seq of ticks) await runUntil({ ...open, partition }, seq, options)
  }
  const bytesOf = (log: Log) => derivedBytes(log, standard.stage, partition)
  const decoded = async (log: Log) =>
    (await readAll(log, 'chain-a-derived', partition)).map(({ value }) => standard.derivedCodec.decode(value!))
  const versionsOf = async (log: Log) =>
    (await decoded(log)).flatMap((record) => (isTick(record) ? [record.data.rulesVersion] : []))

  it('writes what the rules give without a log, under their version alone', async () => {
    const records = marketFacts(2, 3, { hasPosts: true })
    const log = await logOf(records)
    await run(other, { log, ticks: [lastSeqOf(records)] })
    const { stage } = createOf(higher)
    const driver = createTestDriver(createOf(higher))
    const expected = records.flatMap(({ key, record }): readonly string[] => {
      if (isTick(record)) return driver.tick(record.data.blockAtMs, record.data).map((output) => output.record.type)
      if (stage.isAnswer(record)) driver.answer(key, record as ChainATypes['answer'])
      else driver.fact(key, record as ChainATypes['fact'])
      return []
    })
    const derived = await decoded(log)
    expect(derived.flatMap((record) => (isTick(record) ? [] : [record.type]))).to.deep.equal(expected)
    expect(new Set(await versionsOf(log))).to.deep.equal(new Set([other.stage.rulesVersion]))
  })

  it('gives other signals than the default: fewer with higher thresholds', async () => {
    const records = marketFacts(2, 3)
    const countOf = async (open: OpenStage<ChainATypes>) => {
      const log = await logOf(records)
      await run(open, { log, ticks: [lastSeqOf(records)] })
      return (await decoded(log)).filter(({ type }) => type === 'Burst').length
    }
    const [ofStandard, ofOther] = [await countOf(standard), await countOf(other)]
    expect(ofOther).to.be.above(0)
    expect(ofOther).to.be.below(ofStandard)
  })

  it('derives the same bytes through reorgs and restarts, from facts and from snapshots', async () => {
    const plan = { ofTicks: 300, depth: 300, shortBy: 5, fates: ['same', 'dropped', { laterBy: 7 }] as const }
    const records = reorgedMarket(6, [{ ...plan, isRehashed: true }], 3)
    const ticks = lastSeqOf(records)
    const stops = [2, Math.floor(ticks / 3), Math.floor(ticks / 2), ticks - 1, ticks]
    const [once, restarted, restored] = [await logOf(records), await logOf(records), await logOf(records)]
    await run(other, { log: once, ticks: [ticks] })
    await run(other, { log: restarted, ticks: stops })
    await run(other, { log: restored, ticks: stops, snapshotEveryMs: 0 })
    expect(await bytesOf(restarted)).to.deep.equal(await bytesOf(once))
    expect(await bytesOf(restored)).to.deep.equal(await bytesOf(once))
  })

  it('is refused where the default wrote before: no topic holds signals of two rules', async () => {
    const records = marketFacts(3, 1)
    const ticks = lastSeqOf(records)
    const log = await logOf(records)
    await run(standard, { log, ticks: [Math.floor(ticks / 2)], snapshotEveryMs: 0 })
    const before = await bytesOf(log)
    const failure = await run(other, { log, ticks: [ticks] }).then(
      () => null,
      (error: unknown) => error,
    )
    expect(String(failure)).to.include('the rules now give a different Tick')
    expect(await bytesOf(log)).to.deep.equal(before)
  })
})
