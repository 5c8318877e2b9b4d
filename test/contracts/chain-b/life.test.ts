/**
 * Follows one mint from its launch to more than an hour in its pool, through every state. Facts of a curve
 * with the real formulas go through the real stage and tables to answers. A replay of the log must give the
 * same bytes.
 */
import { expect } from 'chai'
import { createChainB } from '../../../api/chain-b/chain.ts'
import { parseParams } from '../../../api/sale/params.ts'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import type { Log } from '../../../infra/log/log.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { chainB } from '../../../processors/stages.ts'
import { launchReserves } from '../../../schemas/chain-b/curve.ts'
import { graduatedLifeMs } from '../../../schemas/chain-b/mint-life.ts'
import { rulesVersion } from '../../../schemas/chain-b/rules.ts'
import { type ChainBTypes, chainBStage } from '../../../schemas/chain-b/stage.ts'
import { answeredLog } from '../../replay/answered-log.ts'
import { type KeyedRecord, lastSeqOf } from '../../replay/keyed-record.ts'
import {
  appendFacts,
  derivedBytes,
  inBatchesOf,
  openStage,
  type RunOptions,
  readAll,
  runUntil,
} from '../../replay/stage-log.ts'
import { buildTick, second } from '../../support/builders/build-facts.ts'
import { buildHoldersAnswered, buildKey, testCurve, testMint, testPool } from '../../support/chain-b/build-facts.ts'
import { holdersLookup } from '../../support/chain-b/market.ts'
import { ScriptedCurve, slotsPerSec, slotTimeOf } from '../../support/chain-b/scripted-curve.ts'
import { chainBTablesOfTests } from './tables.ts'

type Row = Readonly<Record<string, unknown>>
type Body = Readonly<{ bursts: readonly Row[]; grads: readonly Row[]; stats: Row }>

const slotAt = (sec: number): number => Math.round(sec * slotsPerSec)

/** In seconds from the launch. */
const firstSignalSec = 402
const firstScoredSec = firstSignalSec + 20 * 60
const secondSignalSec = 1704
const completedSec = 2104
const openedSec = 2110
const closedSec = completedSec + graduatedLifeMs / 1000
const tickEverySec = 5
/**
 * The time after which the answer to a lookup is in the log, in seconds. An answer comes three ticks after
 * its request.
 */
const answeredSec = 4 * tickEverySec

/**
 * Plays the life of the mint. After a calm start, one burst is scored after a fixed time, and another burst
 * is scored by the graduation. Then follows an hour of trades in the pool.
 */
function script(curve: ScriptedCurve): void {
  const buy = (sec: number, sol: number, trader: number) => curve.buy(slotAt(sec), sol, buildKey(trader))
  curve.launch(slotAt(0))
  buy(10, 3, 1)
  for (const [sec, trader] of [
    [396, 2],
    [398, 3],
    [400, 3],
    [402, 4],
  ] as const)
    buy(sec, 3, trader)
  buy(900, 1, 5)
  curve.sell(slotAt(1000), 10, buildKey(2))
  for (const [sec, trader] of [
    [1700, 2],
    [1702, 6],
    [1704, 7],
  ] as const)
    buy(sec, 4, trader)
  curve.buy(slotAt(completedSec), 1000, buildKey(8))
  curve.complete(slotAt(completedSec))
  curve.migrate(slotAt(openedSec))
  for (let sec = openedSec + 30; sec < completedSec + 66 * 60; sec += 30)
    curve.poolTrade(slotAt(sec), sec % 60 === 0 ? 0.004 : -0.002)
}

/**
 * Returns the log of the mint's partition, including the answers to the stage's lookups (its requests to the
 * node).
 */
function lifeOfMint(): readonly KeyedRecord<ChainBTypes>[] {
  const { quoteRaw: virtualQuoteRaw } = launchReserves
  const terms = { curve: testCurve, pool: testPool, isMayhem: false, quoteMint: null, virtualQuoteRaw }
  const curve = new ScriptedCurve(terms, buildKey(1))
  script(curve)
  const endSec = closedSec + 300
  const records: KeyedRecord<ChainBTypes>[] = []
  const facts = [...curve.facts]
  for (let sec = tickEverySec, seq = 1; sec <= endSec; sec += tickEverySec, seq++) {
    while (facts[0] && slotTimeOf(facts[0].slot) < second(sec)) {
      const [{ fact }] = facts.splice(0, 1) as [(typeof facts)[number]]
      records.push({ key: testMint, record: fact })
    }
    const block = { blockNumber: slotAt(sec) - 1, blockAtMs: slotTimeOf(slotAt(sec) - 1), knownAtMs: second(sec) }
    records.push({ key: 'tick', record: { type: 'Tick', data: buildTick({ seq, ...block, rulesVersion }) } })
  }
  const holders = [
    { owner: testCurve, tokenRaw: 5n * 10n ** 14n },
    { owner: buildKey(2), tokenRaw: 125n * 10n ** 12n },
  ]
  const answerTo: typeof holdersLookup.answerTo = ({ token, asked: { questionId, revision } }) => ({
    key: token,
    record: buildHoldersAnswered({ questionId, revision, holders }),
  })
  return answeredLog(chainB, records, { ...holdersLookup, answerTo })
}

describe('a mint of chain B in answers', () => {
  const tables = chainBTablesOfTests()
  const presentation = {
    chainName: 'chainB',
    ruleIdSecret: 'a secret of the test',
    callerIdSecret: 'another secret of the test',
  }
  const records = lifeOfMint()
  const partitions = Array.from({ length: chainBStage.factTopic.partitionCount }, (_, partition) => partition)
  const registry = createMemoryRegistry()

  /**
   * Derives the records of the mint's partition and of the other partitions. The other partitions have only
   * ticks.
   */
  const derive = async (
    run: Omit<RunOptions, 'log'> & Readonly<{ stops?: readonly number[]; batchAppends?: number }> = {},
  ) => {
    const { stops = [], batchAppends, ...options } = run
    const open = await openStage(chainB, registry)
    const memory = createMemoryLog({ nowMs: () => 0 })
    const log: Log = batchAppends === undefined ? memory : inBatchesOf(memory, batchAppends)
    for (const partition of partitions) {
      const those = partition === 0 ? records : records.filter(({ key }) => key === 'tick')
      await appendFacts({ ...open, log: memory, partition }, those)
      for (const seq of [...stops, lastSeqOf(those)]) await runUntil({ ...open, partition }, seq, { ...options, log })
    }
    return memory
  }

  /**
   * Requests the answer of a route at the time of the next tick after `sec`. Fails if the answer does not
   * match the route's schema.
   */
  const ask = async (path: string, sec: number): Promise<Body> => {
    const { routes } = createChainB({ queries: tables.queries, presentation })
    const route = routes.find(({ pattern }) => pattern === `/v1/sol/${path}`)
    if (!route || route.isPersonal) expect.fail(`no route ${path}`)
    const parsed = parseParams(route.params, { query: { minutes: '240' }, path: {} })
    if ('refusal' in parsed) expect.fail(parsed.refusal.error)
    const atMs = second((Math.floor(sec / tickEverySec) + 1) * tickEverySec)
    const body = await route.answer(parsed.values, { atMs, stages: { [chainBStage.name]: await tables.cutAt(atMs) } })
    return route.schema.parse(JSON.parse(JSON.stringify(body))) as Body
  }
  const burstsAt = async (sec: number) => (await ask('bursts/live', sec)).bursts
  const scoredAt = async (sec: number) => (await ask('bursts/history', sec)).bursts
  const gradsAt = async (sec: number) => (await ask('grads/live', sec)).grads

  it('is a burst without anatomy, then with it, then scored by the clock; a burst again, scored by its graduation; and followed in its pool', async () => {
    await tables.project({ log: await derive(), registry })
    const unscored = { scored: false }

    expect(await burstsAt(firstSignalSec - tickEverySec)).to.deep.equal([])
    const [signal, ...others] = await burstsAt(firstSignalSec)
    expect(others).to.deep.equal([])
    expect(signal).to.include({ at: second(firstSignalSec), mint: testMint, windowSec: 60, tokenAgeMin: 6.7 })
    expect(signal).to.deep.include({ anatomy: null, outcome: unscored })
    expect(signal?.inflowSol).to.be.closeTo(12, 1e-6)
    expect(signal?.curveFrom).to.be.below(signal?.curveAt as number)

    const [known] = await burstsAt(firstSignalSec + answeredSec)
    expect({ ...known, anatomy: null, filled: signal?.filled }).to.deep.equal(signal)
    expect(known?.anatomy).to.include({
      buys: 4,
      buyers: 3,
      sameSlotMax: 1,
      sameSizeMax: 4,
      repeatBuyers: 0,
      holderTop1: 0.125,
    })

    expect(await scoredAt(firstScoredSec - tickEverySec)).to.deep.equal([])
    const [byClock] = await scoredAt(firstScoredSec)
    expect({ ...byClock, outcome: unscored, filled: known?.filled }).to.deep.equal(known)
    expect(byClock?.outcome).to.include({ scored: true, graduated: false, gradMin: null, gradRet: null })
    expect(byClock?.outcome).to.have.property('ret20m').that.is.a('number')

    const [again, before] = await burstsAt(secondSignalSec + answeredSec)
    expect(before).to.deep.equal(byClock)
    expect(again).to.deep.include({ at: second(secondSignalSec), outcome: unscored })
    expect(again?.anatomy).to.include({ buys: 3, buyers: 3, repeatBuyers: 1 })
    expect(await gradsAt(completedSec - tickEverySec)).to.deep.equal([])

    const [byGraduation] = await scoredAt(completedSec)
    expect({ ...byGraduation, outcome: unscored, filled: again?.filled }).to.deep.equal(again)
    const gradMin = (completedSec - secondSignalSec) / 60
    expect(byGraduation?.outcome).to.include({ scored: true, graduated: true, ret20m: null })
    expect(byGraduation?.outcome).to.have.property('gradMin').that.is.closeTo(gradMin, 1e-9)
    expect(byGraduation?.outcome).to.have.property('gradRet').that.is.a('number')

    const [grad] = await gradsAt(completedSec)
    expect(grad).to.deep.include({ mint: testMint, gradAt: second(completedSec), post: null })
    expect(grad?.burst).to.include({ at: second(secondSignalSec) })
    const postsAt = async (minutes: number) => {
      const [row] = await gradsAt(openedSec + minutes * 60)
      const post = row?.post as Row
      return [post.anchorSecAfterGrad, ...[post.ret1, post.ret5, post.ret15].map((ret) => typeof ret)]
    }
    const [none, some] = [typeof null, typeof 0]
    expect(await postsAt(0)).to.deep.equal([openedSec - completedSec, none, none, none])
    expect(await postsAt(1)).to.deep.equal([openedSec - completedSec, some, none, none])
    expect(await postsAt(5)).to.deep.equal([openedSec - completedSec, some, some, none])
    expect(await postsAt(15)).to.deep.equal([openedSec - completedSec, some, some, some])

    const { grads, stats } = await ask('grads/history', closedSec)
    expect({ ...grads[0], post: null, filled: grad?.filled }).to.deep.equal(grad)
    expect(stats).to.include({ n: 1, afterBurst: 1, medianGradMin: completedSec / 60 })
    expect(await scoredAt(closedSec)).to.deep.equal([byGraduation, byClock])
  })

  it('is forgotten an hour after its graduation, whatever is traded then', async () => {
    const { derivedCodec } = await openStage(chainB, registry)
    const stored = await readAll(await derive(), chainBStage.derivedTopic.name, 0)
    const types = stored.map(({ value }) => derivedCodec.typeOf(value!))
    const closedAt = types.indexOf('MintClosed')
    expect(closedAt).to.be.greaterThan(0)
    // The closing of a mint also closes the paper positions in it. So only records of these positions and
    // ticks come afterwards.
    expect(new Set(types.slice(closedAt + 1))).to.deep.equal(new Set(['DeskTwin', 'Tick']))
    expect(types.lastIndexOf('DeskTwin')).to.be.lessThan(types.indexOf('Tick', closedAt))
    const poolTrades = records.filter(({ record }) => record.type === 'PoolTraded')
    expect(poolTrades.at(-1)?.record.data).to.have.property('blockAtMs').that.is.greaterThan(second(closedSec))
  })

  it('gives the same bytes whenever its log is replayed, in whatever batches and lives', async () => {
    const bytesOf = async (run: Parameters<typeof derive>[0]) => derivedBytes(await derive(run), chainBStage, 0)
    const expected = await bytesOf({})
    const seqAt = (sec: number) => Math.floor(sec / tickEverySec)
    // A time in each state of the mint's life, in seconds.
    const states = [
      200,
      firstSignalSec + 1,
      firstSignalSec + 60,
      1650,
      secondSignalSec + 60,
      completedSec + 3,
      3000,
      closedSec,
    ]
    const stops = states.map(seqAt)
    expect(await bytesOf({ stops })).to.deep.equal(expected)
    expect(await bytesOf({ stops, snapshotEveryMs: 0 })).to.deep.equal(expected)
    expect(await bytesOf({ batchAppends: 1 })).to.deep.equal(expected)
  })
})
