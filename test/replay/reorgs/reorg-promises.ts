/**
 * The rules that every stage must obey on logs with reorgs. A seed gives random logs on which a rule is
 * checked.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import type { RunnableStage } from '../../../processors/runtime/runnable-stage.ts'
import { chainA, chainB } from '../../../processors/stages.ts'
import type { StageTypes } from '../../../schemas/stage.ts'
import { type TopicTable, topics } from '../../../schemas/topics.ts'
import { reorgedCurveMarket } from '../../support/chain-b/market.ts'
import { createHoledLog } from '../../support/log/holed-log.ts'
import { type KeyedRecord, lastSeqOf } from '../keyed-record.ts'
import { randomFacts } from '../toy/toy-facts.ts'
import { toyStage, toyTopics } from '../toy/toy-records.ts'
import { toy } from '../toy/toy-stage.ts'
import { checkMarks, createReorgRunner, finalRows, type ReorgRunner } from './reorg-runner.ts'
import { reorgedMarket } from './reorged-market.ts'
import { type ReorgPlan, reorgPlans, withReorgs } from './with-reorgs.ts'

export type ReorgPromise = Readonly<{
  /** The name of the test. The subject of the sentence is the stage. */
  sentence: string
  /**
   * Checks the rule on random logs. Rejects if the rule is broken. Resolves with the number of checked cases.
   */
  check(seed: number): Promise<number>
}>

const depths = fc.oneof(fc.nat(5), fc.nat(90), fc.nat(4000))
const market = fc.tuple(fc.nat(1000), reorgPlans(depths)).map(([seed, plans]) => reorgedMarket(seed, plans))
const curveMarket = fc.tuple(fc.nat(1000), reorgPlans(depths)).map(([seed, plans]) => reorgedCurveMarket(seed, plans))
const toyMarket = fc
  .tuple(randomFacts({ hasAnswers: true }), reorgPlans(fc.nat(12)))
  .map(([facts, plans]) => withReorgs(toyStage, facts, plans))

type Subject<Types extends StageTypes> = Readonly<{
  runnable: RunnableStage<Types>
  topicTable: TopicTable
  logs: fc.Arbitrary<readonly KeyedRecord<Types>[]>
  /** The number of logs per seed. The toy stage has more logs, because they are small. */
  logCount: number
}>

function createPromises<Types extends StageTypes>({ runnable, topicTable, logs, logCount }: Subject<Types>) {
  let opened: Promise<ReorgRunner<Types>> | null = null
  const runner = () => {
    opened ??= createReorgRunner(runnable, topicTable)
    return opened
  }
  const endsAlike: ReorgPromise = {
    sentence: 'ends with the rows of the chain that is left',
    check: async (seed) => {
      const its = await runner()
      let count = 0
      const pace = fc.constantFrom(0, 3, 40)
      const property = fc.asyncProperty(logs, pace, async (records, snapshotEveryMs) => {
        const derived = await its.derivedOf(records, { snapshotEveryMs })
        const rows = finalRows(its.stage, derived)
        expect(rows).to.deep.equal(its.expectedOf(records))
        checkMarks(its.stage, derived)
        count += rows.length
      })
      await fc.assert(property, { seed, numRuns: logCount })
      return count
    },
  }
  const hasEqualBytes: ReorgPromise = {
    sentence: 'publishes the same bytes whatever the batches, the restarts and the snapshots',
    check: async (seed) => {
      const its = await runner()
      let count = 0
      const places = fc.array(fc.nat(999), { maxLength: 4 })
      const property = fc.asyncProperty(logs, places, async (records, drawn) => {
        const ticks = lastSeqOf(records)
        const expected = await its.bytesOf(records)
        const stops = drawn.map((place) => 1 + Math.floor((place * ticks) / 1000)).sort((a, b) => a - b)
        expect(await its.bytesOf(records, { stops, batchAppends: 1 }), 'no snapshot').to.deep.equal(expected)
        const all = { stops, snapshotEveryMs: 0, createLog: createHoledLog }
        expect(await its.bytesOf(records, all), 'at each tick, offsets with holes').to.deep.equal(expected)
        const some = { stops, batchAppends: 3, snapshotEveryMs: ticks / 8 }
        expect(await its.bytesOf(records, some), 'some').to.deep.equal(expected)
        count += expected.length
      })
      await fc.assert(property, { seed, numRuns: Math.ceil(logCount / 2) })
      return count
    },
  }
  return { runner, promises: [endsAlike, hasEqualBytes] }
}

const ofToy = createPromises({ runnable: toy, topicTable: toyTopics, logs: toyMarket, logCount: 10 })
const ofChainA = createPromises({ runnable: chainA, topicTable: topics, logs: market, logCount: 1 })
const ofChainB = createPromises({ runnable: chainB, topicTable: topics, logs: curveMarket, logCount: 1 })

const again: Omit<ReorgPlan, 'ofTicks'> = { depth: 3900, shortBy: 0, fates: ['same'], isRehashed: true }
const moved: Omit<ReorgPlan, 'ofTicks'> = { ...again, depth: 4000, fates: [{ laterBy: 3 }] }

/**
 * The first reorg moves bursts to later blocks. The next two reorgs mine the moved bursts again in the same
 * blocks. Most logs contain such bursts.
 */
const keepsSuperseded: ReorgPromise = {
  sentence: 'goes on naming the burst that a moved one superseded, through two reorgs and more',
  check: async (seed) => {
    const { stage, derivedOf } = await ofChainA.runner()
    const places = fc.uniqueArray(fc.integer({ min: 100, max: 900 }), { minLength: 2, maxLength: 4 })
    const pace = fc.constantFrom(0, 40, undefined)
    let count = 0
    const property = fc.asyncProperty(fc.nat(1000), places, pace, async (marketSeed, at, snapshotEveryMs) => {
      const plans = at.flatMap((ofTicks) => [moved, again, again].map((plan) => ({ ofTicks, ...plan })))
      count += checkMarks(stage, await derivedOf(reorgedMarket(marketSeed, plans), { snapshotEveryMs }))
    })
    await fc.assert(property, { seed, numRuns: 1 })
    return count
  },
}

export const chainARunner = ofChainA.runner
export const toyPromises: readonly ReorgPromise[] = ofToy.promises
export const chainBPromises: readonly ReorgPromise[] = ofChainB.promises
export const chainAPromises: readonly ReorgPromise[] = [...ofChainA.promises, keepsSuperseded]
