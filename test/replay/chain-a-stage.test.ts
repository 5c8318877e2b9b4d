/** Tests that equal facts give equal derived records on the real stage, byte for byte. */
import { expect } from 'chai'
import type { Log } from '../../infra/log/log.ts'
import { createMemoryLog } from '../../infra/log/memory/memory-log.ts'
import type { RecordBatch } from '../../infra/log/record-batch.ts'
import { chainA } from '../../processors/stages.ts'
import { rowKeyOf } from '../../schemas/chain-a/derived.ts'
import { isAnswer } from '../../schemas/chain-a/facts.ts'
import type { ChainATypes } from '../../schemas/chain-a/stage.ts'
import { createHoledLog } from '../support/log/holed-log.ts'
import { type KeyedRecord, lastSeqOf } from './keyed-record.ts'
import { marketFacts } from './market/market-facts.ts'
import { everyMs, perBlock, recut } from './recut.ts'
import { reorgedMarket } from './reorgs/reorged-market.ts'
import { appendFacts, derivedBytes, type OpenStage, openStage, readAll, repacked, runUntil } from './stage-log.ts'

const partition = 0

describe('the chain A stage', () => {
  let open: OpenStage<ChainATypes>
  before(async () => {
    open = await openStage(chainA)
  })

  /**
   * Runs the stage up to each tick in `stops`, and then to the end. With stops, the log has holes in its
   * offsets.
   */
  const ranOn = async (
    records: readonly KeyedRecord<ChainATypes>[],
    stops: readonly number[],
    snapshotEveryMs?: number,
  ) => {
    const createLog = stops.length > 0 ? createHoledLog : createMemoryLog
    const log = createLog({ nowMs: () => 0 })
    let from = 0
    for (const seq of [...stops, lastSeqOf(records)]) {
      const upTo = 1 + records.findIndex(({ record }) => record.type === 'Tick' && record.data.seq === seq)
      await appendFacts({ ...open, log, partition }, records.slice(from, upTo))
      from = upTo
      const pace = snapshotEveryMs === undefined ? {} : { snapshotEveryMs }
      await runUntil({ ...open, partition }, seq, { log, ...pace })
    }
    return log
  }
  const bytesOf = async (...run: Parameters<typeof ranOn>) => derivedBytes(await ranOn(...run), open.stage, partition)

  it('says of the test market all that it can say', async () => {
    const stored = await readAll(await ranOn(marketFacts(1, 3, { hasPosts: true }), []), 'chain-a-derived', partition)
    const records = stored.map(({ value }) => open.derivedCodec.decode(value!))
    const types = new Set(records.map((record) => record.type))
    expect([...types].sort()).to.deep.equal(
      [
        ...[
          'Burst',
          'BurstBuyers',
          'BurstLp',
          'BurstOutcome',
          'CurveClosed',
          'LaunchCurve',
          'OwnersAsked',
          'PoolClosed',
          'TradeGap',
        ],
        ...['DeskOpened', 'DeskShadow', 'DeskTrade', 'DeskTwin'],
        ...['PoolMinute', 'PoolOpened', 'PoolProfile', 'SendersAsked', 'Tick'],
        ...['Call', 'CallScored', 'Precall', 'PrecallBuyers', 'PrecallSendersAsked', 'PriceAsked'],
      ].sort(),
    )
    const tiers = new Set(records.flatMap((record) => (record.type === 'Burst' ? [record.data.tier] : [])))
    expect([...tiers]).to.include.members(['main', 'lite', 'refire'])
    const wallets = records.flatMap((record) => (record.type === 'BurstBuyers' ? [record.data.wallets] : []))
    expect(wallets.some((known) => known === null)).to.equal(true)
    expect(wallets.some((known) => known !== null)).to.equal(true)
    const outcomes = records.flatMap((record) => (record.type === 'BurstOutcome' ? [record.data.rug] : []))
    expect(outcomes.some((rug) => rug !== null)).to.equal(true)
    expect(outcomes.some((rug) => rug === null)).to.equal(true)
    const classes = records.flatMap((record) => (record.type === 'PoolProfile' ? [record.data.class] : []))
    expect([...new Set(classes)].sort()).to.deep.equal(['empty', 'held', 'safe'])
  })

  for (const seed of [2, 3])
    it(`derives the same after restarts, from the first fact and from snapshots (market ${seed})`, async () => {
      const records = marketFacts(seed, 3, { hasPosts: true })
      const ticks = lastSeqOf(records)
      const expected = await bytesOf(records, [])
      const stops = [1, 2, 3, 50, Math.floor(ticks / 2), ticks - 3, ticks - 2, ticks - 1]
      expect(await bytesOf(records, stops)).to.deep.equal(expected)
      expect(await bytesOf(records, stops, 0)).to.deep.equal(expected)
    })

  for (const recordCount of [1, 7, 1000])
    it(`derives the same from batches of ${recordCount}, through reorgs and restarts`, async () => {
      const plan = { shortBy: 5, fates: ['same', 'dropped', { laterBy: 7 }] as const, isRehashed: true }
      const plans = [300, 600, 601].map((ofTicks) => ({ ...plan, ofTicks, depth: ofTicks }))
      const records = reorgedMarket(6, plans, 4)
      const ticks = lastSeqOf(records)
      const log = createHoledLog({ nowMs: () => 0 })
      await appendFacts({ ...open, log, partition }, records)
      const sizes = new Set<number>()
      const handedOut = watched(repacked(log, 'chain-a-facts', recordCount), ({ count }) => sizes.add(count))
      for (const [at, seq] of [Math.floor(ticks / 3), Math.floor(ticks / 2), ticks].entries())
        await runUntil({ ...open, partition }, seq, { log: handedOut, ...(at === 1 && { snapshotEveryMs: 0 }) })
      expect(await derivedBytes(log, open.stage, partition)).to.deep.equal(await bytesOf(records, []))
      expect(Math.max(...sizes), 'the largest batch').to.equal(recordCount)
    })

  it('derives the same from a log cut again, tick per block, second and hour', async () => {
    // Leaves out the records of the paper desk (the simulated trader), because only these records depend on
    // the ticks.
    const derivedOf = async (records: readonly KeyedRecord<ChainATypes>[]) => {
      const stored = await readAll(await ranOn(records, []), 'chain-a-derived', partition)
      return stored
        .map(({ key, value }) => ({
          text: `${key} ${value?.toString('hex')}`,
          record: open.derivedCodec.decode(value!),
        }))
        .filter(({ text, record }) => !text.startsWith('tick ') && !record.type.startsWith('Desk'))
    }
    const rows = async (records: readonly KeyedRecord<ChainATypes>[]) =>
      (await derivedOf(records)).map(({ text }) => text)
    // The position of a lookup answer depends on how the log was divided into ticks. So does the position of
    // the records derived from the answer. Therefore the rows are sorted, and earlier versions of a `BurstLp`
    // are left out.
    const sorted = async (records: readonly KeyedRecord<ChainATypes>[]) => {
      const derived = await derivedOf(records)
      const isOutdated = (index: number) => {
        const { record } = derived[index]!
        if (record.type !== 'BurstLp') return false
        const name = JSON.stringify(rowKeyOf(record))
        return derived
          .slice(index + 1)
          .some(({ record: later }) => later.type === 'BurstLp' && JSON.stringify(rowKeyOf(later)) === name)
      }
      return derived.flatMap(({ text }, index) => (isOutdated(index) ? [] : [text])).sort()
    }
    for (const seed of [4, 5]) {
      const records = marketFacts(seed)
      const unanswered = records.filter(({ record }) => record.type === 'Tick' || !isAnswer(record))
      for (const cut of [perBlock, everyMs(1000), everyMs(3_600_000)]) {
        expect(await sorted(recut(records, cut))).to.deep.equal(await sorted(records))
        expect(await rows(recut(unanswered, cut))).to.deep.equal(await rows(unanswered))
      }
    }
  })
})

/** Calls `onBatch` for each batch of facts that is read. */
const watched = (log: Log, onBatch: (batch: RecordBatch) => void): Log => ({
  ...log,
  async read(from, options) {
    const batches = await log.read(from, options)
    if (from.topic === 'chain-a-facts') for (const batch of batches) onBatch(batch)
    return batches
  },
})
