/** A chain that changes its mind, on the real stage: what is left is what a chain that never did would have given. */
import { expect } from 'chai'
import fc from 'fast-check'
import { createMemoryLog } from '../../infra/log/memory/memory-log.ts'
import type { Processor } from '../../processors/processor.ts'
import { createTestDriver } from '../../processors/runtime/test-driver.ts'
import type { Token } from '../../processors/runtime/token-book.ts'
import type { TokenOutput } from '../../processors/runtime/walk.ts'
import { chainATopology } from '../../processors/stages.ts'
import { type ChainADerivedRecord, rowKeyOf } from '../../schemas/chain-a/derived.ts'
import { createHoledLog } from '../support/holed-log.ts'
import { asText, drive, lastRows, livingOf } from './living-log.ts'
import type { KeyedRecord } from './recut.ts'
import { revertedMarket } from './reverted-market.ts'
import { appendFacts, type Codecs, createCodecs, derivedBytes, inBatchesOf, readAll, runUntil } from './stage-log.ts'
import { randomFacts, toyStage } from './toy-stage.ts'
import { revertPlans, withReverts } from './with-reverts.ts'

const partition = 0
/** Of the real market; the toy one, whose logs are small, gets ten times as many. */
const seeds = Number(process.env.REVERT_SEEDS ?? 6)
const depths = fc.oneof(fc.nat(5), fc.nat(90), fc.nat(4000))
const market = fc.tuple(fc.nat(1000), revertPlans(depths)).map(([seed, plans]) => revertedMarket(seed, plans))
const toyMarket = fc
  .tuple(randomFacts({ hasAnswers: true }), revertPlans(fc.nat(12)))
  .map(([facts, plans]) => withReverts(facts, plans))
const lastSeqOf = (records: readonly KeyedRecord[]) => records.filter(({ record }) => record.type === 'Tick').length

type Run = Readonly<{
  processors?: readonly Processor[]
  stops?: readonly number[]
  snapshotEveryMs?: number
  batchAppends?: number
  createLog?: typeof createHoledLog
}>

describe('the chain A stage on a chain that is reverted', () => {
  let codecs: Codecs
  before(async () => {
    codecs = await createCodecs()
  })

  /** The clock advances by one at each look, so that a pace is a number of ticks. */
  const ranOn = async (records: readonly KeyedRecord[], run: Run = {}) => {
    const { processors = chainATopology, stops = [], snapshotEveryMs, batchAppends, createLog = createMemoryLog } = run
    const memory = createLog({ nowMs: () => 0 })
    await appendFacts({ log: memory, codecs, partition }, records)
    const log = batchAppends === undefined ? memory : inBatchesOf(memory, batchAppends)
    let now = 0
    const pace = snapshotEveryMs === undefined ? {} : { snapshotEveryMs }
    for (const seq of [...stops, lastSeqOf(records)])
      await runUntil({ codecs, partition }, seq, { log, processors, nowMs: () => now++, ...pace })
    return memory
  }
  const bytesOf = async (...run: Parameters<typeof ranOn>) => derivedBytes(await ranOn(...run), partition)

  const derivedOf = async (...run: Parameters<typeof ranOn>) => {
    const stored = await readAll(await ranOn(...run), 'chain-a-derived', partition)
    return stored.map(({ key, value }) => ({ token: key as Token, record: codecs.derivedCodec.decode(value!) }))
  }
  const expectedOf = (records: readonly KeyedRecord[], processors = chainATopology) =>
    lastRows(drive(createTestDriver(processors), livingOf(records)))
      .map(({ record }) => asText(record))
      .sort()

  for (const { of, logs, processors, numRuns } of [
    { of: 'the real stage', logs: market, processors: chainATopology, numRuns: seeds },
    { of: 'a toy stage', logs: toyMarket, processors: toyStage, numRuns: 10 * seeds },
  ]) {
    it(`ends with the rows of the chain that is left: ${of}`, () =>
      fc.assert(
        fc.asyncProperty(logs, fc.constantFrom(0, 3, 40), async (records, snapshotEveryMs) => {
          const derived = await derivedOf(records, { processors, snapshotEveryMs })
          expect(finalRows(derived)).to.deep.equal(expectedOf(records, processors))
          restatedMoved(derived)
        }),
        { numRuns },
      ))

    it(`publishes the same bytes whatever the batches, the restarts and the snapshots: ${of}`, () =>
      fc.assert(
        fc.asyncProperty(logs, fc.array(fc.nat(999), { maxLength: 4 }), async (records, places) => {
          const ticks = lastSeqOf(records)
          const expected = await bytesOf(records, { processors })
          const stops = places.map((place) => 1 + Math.floor((place * ticks) / 1000)).sort((a, b) => a - b)
          const run = { processors, stops }
          expect(await bytesOf(records, { ...run, batchAppends: 1 }), 'no snapshot').to.deep.equal(expected)
          const all = { snapshotEveryMs: 0, createLog: createHoledLog }
          expect(await bytesOf(records, { ...run, ...all }), 'at each tick, offsets with holes').to.deep.equal(expected)
          const some = { batchAppends: 3, snapshotEveryMs: ticks / 8 }
          expect(await bytesOf(records, { ...run, ...some }), 'some').to.deep.equal(expected)
        }),
        { numRuns: Math.ceil(numRuns / 2) },
      ))
  }

  it('goes on naming the burst that a moved one superseded, through two reverts and more', () => {
    const moved = { depth: 4000, shortBy: 0, fates: [{ laterBy: 3 }], isRehashed: true }
    const minedAgain = { depth: 3900, shortBy: 0, fates: ['same' as const], isRehashed: true }
    const places = fc.uniqueArray(fc.integer({ min: 100, max: 900 }), { minLength: 2, maxLength: 4 })
    let count = 0
    return fc
      .assert(
        fc.asyncProperty(fc.nat(1000), places, fc.constantFrom(0, 40, undefined), async (seed, at, snapshotEveryMs) => {
          const plans = at.flatMap((ofTicks) => [moved, minedAgain, minedAgain].map((plan) => ({ ofTicks, ...plan })))
          const pace = snapshotEveryMs === undefined ? {} : { snapshotEveryMs }
          count += restatedMoved(await derivedOf(revertedMarket(seed, plans), pace))
        }),
        { numRuns: Math.ceil(seeds / 2) },
      )
      .then(() => expect(count, 'restated again').to.be.greaterThan(0))
  })

  it('would not end with them if nothing were restated', async () => {
    const plan = { ofTicks: 500, depth: 1500, shortBy: 0, fates: ['same', 'dropped'] as const, isRehashed: false }
    const records = revertedMarket(1, [plan])
    const derived = await derivedOf(records)
    expect(finalRows(derived)).to.deep.equal(expectedOf(records))
    expect(finalRows(withoutRestatements(derived))).not.to.deep.equal(expectedOf(records))
  })
})

type Derived = Readonly<{ token: Token; record: ChainADerivedRecord }>

/** What is published in the end, as text. */
function finalRows(derived: readonly Derived[]): string[] {
  const rows = new Map<string, TokenOutput>()
  for (const { token, record } of derived) {
    if (record.type === 'Tick' || record.type === 'Restated') continue
    const { recordType, pool, tier, atMs } = record.type === 'Withdrawn' ? record.data : rowKeyOf(record)
    const name = [token, recordType, pool, tier, atMs].join()
    if (record.type === 'Withdrawn') expect(rows.delete(name), `${name} was there`).to.equal(true)
    else rows.set(name, { token, record })
  }
  return [...rows.values()].map(({ record }) => asText(record)).sort()
}

/** How often a burst that superseded another was restated; it has to name that one again each time. */
function restatedMoved(derived: readonly Derived[]): number {
  const supersedes = new Map<string, number>()
  let count = 0
  for (const { token, record } of derived) {
    if (record.type !== 'Restated' && record.type !== 'Withdrawn') continue
    const { recordType, pool, tier, atMs } = record.data
    const name = [token, recordType, pool, tier, atMs].join()
    const named = supersedes.get(name)
    if (record.type === 'Withdrawn') supersedes.delete(name)
    else if (named !== undefined) {
      expect(record.data.supersedesAtMs, name).to.equal(named)
      count += 1
    } else if (record.data.supersedesAtMs !== null) supersedes.set(name, record.data.supersedesAtMs)
  }
  return count
}

/** What reverts published, taken away. */
function withoutRestatements(derived: readonly Derived[]): Derived[] {
  const left: Derived[] = []
  let open: Derived[] = []
  for (const output of derived) {
    open.push(output)
    if (output.record.type !== 'Tick') continue
    left.push(...(output.record.data.revertedFrom === null ? open : [output]))
    open = []
  }
  return left
}
