/** Tests that equal facts give equal derived records on the real stage of chain B, byte for byte. */
import { expect } from 'chai'
import { createMemoryLog } from '../../infra/log/memory/memory-log.ts'
import { chainB } from '../../processors/stages.ts'
import { isAnswer } from '../../schemas/chain-b/facts.ts'
import type { ChainBTypes } from '../../schemas/chain-b/stage.ts'
import { curveMarket } from '../support/chain-b/market.ts'
import { createHoledLog } from '../support/log/holed-log.ts'
import { type KeyedRecord, lastSeqOf } from './keyed-record.ts'
import { everyMs, perBlock, recut } from './recut.ts'
import { appendFacts, derivedBytes, inBatchesOf, type OpenStage, openStage, readAll, runUntil } from './stage-log.ts'

const partition = 0
type Records = readonly KeyedRecord<ChainBTypes>[]
type Run = Readonly<{ stops?: readonly number[]; snapshotEveryMs?: number; batchAppends?: number }>

describe('the chain B stage', () => {
  let open: OpenStage<ChainBTypes>
  before(async () => {
    open = await openStage(chainB)
  })

  /**
   * Runs the stage up to each tick in `stops`, and then to the end. With stops, the log has holes in its
   * offsets.
   */
  const ranOn = async (records: Records, { stops = [], batchAppends, ...pace }: Run = {}) => {
    const createLog = stops.length > 0 ? createHoledLog : createMemoryLog
    const memory = createLog({ nowMs: () => 0 })
    const log = batchAppends === undefined ? memory : inBatchesOf(memory, batchAppends)
    let from = 0
    for (const seq of [...stops, lastSeqOf(records)]) {
      const upTo = 1 + records.findIndex(({ record }) => record.type === 'Tick' && record.data.seq === seq)
      await appendFacts({ ...open, log: memory, partition }, records.slice(from, upTo))
      from = upTo
      await runUntil({ ...open, partition }, seq, { log, ...pace })
    }
    return memory
  }
  const bytesOf = async (records: Records, run?: Run) => derivedBytes(await ranOn(records, run), open.stage, partition)

  it('says of the test market all that it can say', async () => {
    const stored = await readAll(await ranOn(curveMarket(1, 10, { hasPosts: true })), 'chain-b-derived', partition)
    const records = stored.map(({ value }) => open.derivedCodec.decode(value!))
    expect([...new Set(records.map((record) => record.type))].sort()).to.deep.equal([
      'Burst',
      'BurstAnatomy',
      'BurstOutcome',
      'Call',
      'CallScored',
      'CopyClosed',
      'CopyOpened',
      'DeskOpened',
      'DeskShadow',
      'DeskTrade',
      'DeskTwin',
      'Graduation',
      'GraduationPost',
      'HoldersAsked',
      'MintClosed',
      'MintMinute',
      'MintOpened',
      'PriceAsked',
      'SafetyAsked',
      'Tick',
      'TradeGap',
    ])
  })

  it('derives the same whatever the batches, and after restarts, from the first fact and from snapshots', async () => {
    const records = curveMarket(2, 4, { hasPosts: true })
    const ticks = lastSeqOf(records)
    const expected = await bytesOf(records)
    for (const batchAppends of [1, 7, 1000]) expect(await bytesOf(records, { batchAppends })).to.deep.equal(expected)
    const stops = [1, 2, 3, 50, Math.floor(ticks / 2), ticks - 2, ticks - 1]
    expect(await bytesOf(records, { stops })).to.deep.equal(expected)
    expect(await bytesOf(records, { stops, snapshotEveryMs: 0, batchAppends: 7 })).to.deep.equal(expected)
  })

  it('derives the same from a log cut again, tick per slot, second and hour', async () => {
    // Leaves out the records of the paper desk (the simulated trader), because only these records depend on
    // the ticks.
    const rows = async (records: Records) => {
      const stored = await readAll(await ranOn(records), 'chain-b-derived', partition)
      return stored.flatMap(({ key, value }) =>
        key === 'tick' || open.derivedCodec.decode(value!).type.startsWith('Desk')
          ? []
          : [`${key} ${value?.toString('hex')}`],
      )
    }
    const records = curveMarket(3, 5)
    const unanswered = records.filter(({ record }) => record.type === 'Tick' || !isAnswer(record))
    const [all, rest] = [(await rows(records)).sort(), await rows(unanswered)]
    for (const cut of [perBlock, everyMs(1000), everyMs(3_600_000)]) {
      // Sorts the rows, because the position of an answer and of its derived records depends on how the log
      // was divided into ticks.
      expect((await rows(recut(records, cut))).sort()).to.deep.equal(all)
      expect(await rows(recut(unanswered, cut))).to.deep.equal(rest)
    }
  })
})
