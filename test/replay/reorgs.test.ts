/** Reorgs: what is left is what a chain that never left its branch would have given. */
import { expect } from 'chai'
import fc from 'fast-check'
import { createMemoryLog } from '../../infra/log/memory/memory-log.ts'
import type { RunnableStage } from '../../processors/runtime/runnable-stage.ts'
import type { DerivedRecord } from '../../processors/runtime/stage-codecs.ts'
import { createTestDriver } from '../../processors/runtime/test-driver.ts'
import { chainA, chainB } from '../../processors/stages.ts'
import { isMark, isTick, type Stage, type StageTypes } from '../../schemas/stage.ts'
import { type TopicTable, topics } from '../../schemas/topics.ts'
import { reorgedCurveMarket } from '../support/chain-b/market.ts'
import { createHoledLog } from '../support/holed-log.ts'
import { type KeyedRecord, lastSeqOf } from './keyed-record.ts'
import { asText, drive, lastRows, livingOf, rowNameOf } from './living-log.ts'
import { reorgedMarket } from './reorged-market.ts'
import { appendFacts, derivedBytes, inBatchesOf, openStage, readAll, runUntil } from './stage-log.ts'
import { randomFacts } from './toy-facts.ts'
import { toyStage, toyTopics } from './toy-records.ts'
import { toy } from './toy-stage.ts'
import { reorgPlans, withReorgs } from './with-reorgs.ts'

const partition = 0
/** Of the real market; the toy one, whose logs are small, gets ten times as many. */
const seeds = Number(process.env.REORG_SEEDS ?? 6)
const depths = fc.oneof(fc.nat(5), fc.nat(90), fc.nat(4000))
const market = fc.tuple(fc.nat(1000), reorgPlans(depths)).map(([seed, plans]) => reorgedMarket(seed, plans))
const curveMarket = fc.tuple(fc.nat(1000), reorgPlans(depths)).map(([seed, plans]) => reorgedCurveMarket(seed, plans))
const toyMarket = fc
  .tuple(randomFacts({ hasAnswers: true }), reorgPlans(fc.nat(12)))
  .map(([facts, plans]) => withReorgs(toyStage, facts, plans))

type Run = Readonly<{
  stops?: readonly number[]
  snapshotEveryMs?: number | undefined
  batchAppends?: number
  createLog?: typeof createHoledLog
}>

type Derived<Types extends StageTypes> = Readonly<{ token: string; record: DerivedRecord<Types> }>

/** A stage to run over whole logs. */
async function createRunner<Types extends StageTypes>(runnable: RunnableStage<Types>, topicTable: TopicTable) {
  const open = await openStage(runnable, undefined, topicTable)
  const { stage } = open
  type Records = readonly KeyedRecord<Types>[]

  /** The clock advances by one at each look, so that a pace is a number of ticks. */
  const ranOn = async (records: Records, run: Run = {}) => {
    const { stops = [], snapshotEveryMs, batchAppends, createLog = createMemoryLog } = run
    const memory = createLog({ nowMs: () => 0, topicTable })
    await appendFacts({ ...open, log: memory, partition }, records)
    const log = batchAppends === undefined ? memory : inBatchesOf(memory, batchAppends)
    let now = 0
    const pace = snapshotEveryMs === undefined ? {} : { snapshotEveryMs }
    for (const seq of [...stops, lastSeqOf(records)])
      await runUntil({ ...open, partition }, seq, { log, nowMs: () => now++, ...pace })
    return memory
  }
  return {
    stage,
    bytesOf: async (records: Records, run: Run = {}) => derivedBytes(await ranOn(records, run), stage, partition),
    derivedOf: async (records: Records, run: Run = {}): Promise<Derived<Types>[]> => {
      const stored = await readAll(await ranOn(records, run), stage.derivedTopic.name, partition)
      return stored.map(({ key, value }) => ({ token: key, record: open.derivedCodec.decode(value!) }))
    },
    expectedOf: (records: Records) =>
      lastRows(stage, drive(stage, createTestDriver(open), livingOf(stage, records)))
        .map(({ record }) => asText(record))
        .sort(),
  }
}

/** The same promises for any stage. */
function promisesOf<Types extends StageTypes>(
  createIts: () => ReturnType<typeof createRunner<Types>>,
  logs: fc.Arbitrary<readonly KeyedRecord<Types>[]>,
  numRuns: number,
): void {
  let its: Awaited<ReturnType<typeof createRunner<Types>>>
  before(async () => {
    its = await createIts()
  })

  it('ends with the rows of the chain that is left', () =>
    fc.assert(
      fc.asyncProperty(logs, fc.constantFrom(0, 3, 40), async (records, snapshotEveryMs) => {
        const derived = await its.derivedOf(records, { snapshotEveryMs })
        expect(finalRows(its.stage, derived)).to.deep.equal(its.expectedOf(records))
        restatedMoved(its.stage, derived)
      }),
      { numRuns },
    ))

  it('publishes the same bytes whatever the batches, the restarts and the snapshots', () =>
    fc.assert(
      fc.asyncProperty(logs, fc.array(fc.nat(999), { maxLength: 4 }), async (records, places) => {
        const ticks = lastSeqOf(records)
        const expected = await its.bytesOf(records)
        const stops = places.map((place) => 1 + Math.floor((place * ticks) / 1000)).sort((a, b) => a - b)
        expect(await its.bytesOf(records, { stops, batchAppends: 1 }), 'no snapshot').to.deep.equal(expected)
        const all = { stops, snapshotEveryMs: 0, createLog: createHoledLog }
        expect(await its.bytesOf(records, all), 'at each tick, offsets with holes').to.deep.equal(expected)
        const some = { stops, batchAppends: 3, snapshotEveryMs: ticks / 8 }
        expect(await its.bytesOf(records, some), 'some').to.deep.equal(expected)
      }),
      { numRuns: Math.ceil(numRuns / 2) },
    ))
}

describe('the toy stage on a chain with reorgs', () => {
  promisesOf(() => createRunner(toy, toyTopics), toyMarket, 10 * seeds)
})

describe('the chain B stage on a chain with reorgs', () => {
  promisesOf(() => createRunner(chainB, topics), curveMarket, seeds)
})

describe('the chain A stage on a chain with reorgs', () => {
  promisesOf(() => createRunner(chainA, topics), market, seeds)
  const runner = () => createRunner(chainA, topics)

  it('goes on naming the burst that a moved one superseded, through two reorgs and more', async () => {
    const { stage, derivedOf } = await runner()
    const moved = { depth: 4000, shortBy: 0, fates: [{ laterBy: 3 }], isRehashed: true }
    const minedAgain = { depth: 3900, shortBy: 0, fates: ['same' as const], isRehashed: true }
    const places = fc.uniqueArray(fc.integer({ min: 100, max: 900 }), { minLength: 2, maxLength: 4 })
    let count = 0
    return fc
      .assert(
        fc.asyncProperty(fc.nat(1000), places, fc.constantFrom(0, 40, undefined), async (seed, at, snapshotEveryMs) => {
          const plans = at.flatMap((ofTicks) => [moved, minedAgain, minedAgain].map((plan) => ({ ofTicks, ...plan })))
          count += restatedMoved(stage, await derivedOf(reorgedMarket(seed, plans), { snapshotEveryMs }))
        }),
        { numRuns: Math.ceil(seeds / 2) },
      )
      .then(() => expect(count, 'restated again').to.be.greaterThan(0))
  })

  it('would not end with them if nothing were restated', async () => {
    const plan = { ofTicks: 500, depth: 1500, shortBy: 0, fates: ['same', 'dropped'] as const, isRehashed: false }
    const { stage, derivedOf, expectedOf } = await runner()
    const records = reorgedMarket(1, [plan])
    const derived = await derivedOf(records)
    expect(finalRows(stage, derived)).to.deep.equal(expectedOf(records))
    expect(finalRows(stage, withoutRestatements(derived))).not.to.deep.equal(expectedOf(records))
  })
})

/** What is published in the end, as text. */
function finalRows<Types extends StageTypes>(stage: Stage<Types>, derived: readonly Derived<Types>[]): string[] {
  const rows = new Map<string, string>()
  for (const { token, record } of derived) {
    if (isTick(record)) continue
    if (!isMark(record)) rows.set(rowNameOf(stage, token, stage.rowKeyOf(record)), asText(record))
    else if (record.type === 'Withdrawn') {
      const name = rowNameOf(stage, token, record.data)
      expect(rows.delete(name), `${name} was there`).to.equal(true)
    }
  }
  return [...rows.values()].sort()
}

/** How often a row that superseded another was restated; it has to name that one again each time. */
function restatedMoved<Types extends StageTypes>(stage: Stage<Types>, derived: readonly Derived<Types>[]): number {
  const supersedes = new Map<string, number>()
  let count = 0
  for (const { token, record } of derived) {
    if (!isMark(record)) continue
    const name = rowNameOf(stage, token, record.data)
    const named = supersedes.get(name)
    if (record.type === 'Withdrawn') supersedes.delete(name)
    else if (named !== undefined) {
      expect(record.data.supersedesAtMs, name).to.equal(named)
      count += 1
    } else if (record.data.supersedesAtMs !== null) supersedes.set(name, record.data.supersedesAtMs)
  }
  return count
}

/** What reorgs published, taken away. */
function withoutRestatements<Types extends StageTypes>(derived: readonly Derived<Types>[]): Derived<Types>[] {
  const left: Derived<Types>[] = []
  let open: Derived<Types>[] = []
  for (const output of derived) {
    open.push(output)
    if (!isTick(output.record)) continue
    left.push(...(output.record.data.revertedFrom === null ? open : [output]))
    open = []
  }
  return left
}
