import { expect } from 'chai'
import { gaps } from '../../../../processors/chain-b/gaps/processor.ts'
import { mints } from '../../../../processors/chain-b/mints/processor.ts'
import type { ChainBDerived, TradeGap } from '../../../../schemas/chain-b/derived.ts'
import type { ChainBFact } from '../../../../schemas/chain-b/facts.ts'
import { second } from '../../../support/builders/build-facts.ts'
import {
  buildCurveFound,
  buildCurveLaunched,
  buildCurveMigrated,
  buildCurveTraded,
  buildGapFound,
  buildGapRepaired,
  buildKey,
  given,
  lamports,
} from '../../../support/chain-b/build-facts.ts'

const launched = buildCurveLaunched({ blockAtMs: second(0) })
const trade = (atSec: number, fields = {}) => buildCurveTraded({ blockAtMs: second(atSec), ...fields })

/** A trade at 100 s, and the gap (a place where trades are missing) directly before it. */
const behind = trade(100)
const found = buildGapFound({ ...placeOf(behind), lastSlot: 1050, missingQuoteRaw: lamports(-1.5) })

function placeOf({ data }: ChainBFact) {
  const { blockNumber, blockAtMs, blockHash, txHash, txIndex, logIndex } = data
  return { blockNumber, blockAtMs, blockHash, txHash, txIndex, logIndex }
}

/** Returns a trade that happened at `atSec` and was published at `publishedAtSec`. */
const late = (publishedAtSec: number, atSec: number, sol: number) =>
  trade(publishedAtSec, { sol, lateSlot: 1000 + atSec, lateAtMs: second(atSec) })

const repaired = (atSec: number, fields: Parameters<typeof buildGapRepaired>[0] = {}) =>
  buildGapRepaired({
    ...{ blockAtMs: second(atSec), gapTxHash: behind.data.txHash, gapLogIndex: behind.data.logIndex },
    ...fields,
  })

const account = { gapTxHash: null, gapLogIndex: null }
const failed = { isWhole: false, lateCount: 0, failure: 'the node has no trades of it' }

const gapsIn = (records: readonly ChainBDerived[]): TradeGap[] =>
  records.flatMap((record) => (record.type === 'TradeGap' ? [record.data] : []))

/**
 * Shows a gap as a text. `50-100 ?/1.5 open` is the beginning and end in seconds, the number of trades, the
 * SOL, and the state.
 */
const told = ({ fromAtMs, toAtMs, trades, volumeRaw, state }: TradeGap): string => {
  const secondOf = (atMs: number) => (atMs - second(0)) / 1000
  const sol = volumeRaw === null ? '?' : Number(volumeRaw) / 1e9
  return `${secondOf(fromAtMs)}-${secondOf(toAtMs)} ${trades ?? '?'}/${sol} ${state}`
}

const toldOf = (...facts: readonly ChainBFact[]): readonly string[] =>
  gapsIn(given([mints, gaps], [launched]).when(...facts).records).map(told)

describe('a gap of a curve', () => {
  it('is open from the last trade to the one that does not follow from it', () => {
    //  trade 50      missing ?       trade 100
    //  |------------- gap -----------|
    expect(toldOf(trade(20), trade(50), found, behind)).to.deep.equal(['50-100 ?/1.5 open'])
    expect(toldOf(found, behind), 'from the launch without a trade').to.deep.equal(['0-100 ?/1.5 open'])
  })

  it('names the trade behind it, in every version', () => {
    const { records } = given([mints, gaps], [launched, trade(50)]).when(found, behind, repaired(140, failed))
    const { txHash, logIndex, blockAtMs: atMs } = behind.data
    const [first, second] = gapsIn(records)
    for (const gap of [first, second]) expect(gap).to.include({ txHash, logIndex, atMs })
    expect([first?.failure, second?.failure]).to.deep.equal([null, failed.failure])
  })

  it('is given up with all that is known of it', () => {
    expect(toldOf(trade(50), found, behind, trade(120), repaired(140, failed))).to.deep.equal([
      '50-100 ?/1.5 open',
      '50-100 ?/1.5 given_up',
    ])
  })

  it('that is read too late is as long as its trades, and as large as all of them', () => {
    //  trade 50   late 60   late 75   trade 100   …   read at 5000
    //             |-- gap --|
    const facts = [trade(50), found, behind, late(5000, 75, -2.5), late(5000, 60, 1), repaired(5000, { lateCount: 2 })]
    expect(toldOf(...facts).at(-1)).to.equal('60-75 2/3.5 late')
  })

  it('counts late trades once where two gaps had them', () => {
    // First, the read of the curve's account found the late trade. Then came a trade with a gap before it.
    const facts = [trade(50), late(90, 60, -1.5), repaired(90, account), found, behind, repaired(120)]
    expect(toldOf(...facts)).to.deep.equal(['60-60 1/1.5 late', '50-100 ?/1.5 open', '50-100 0/0 late'])
  })

  it('has no volume on a curve against another coin', () => {
    const other = buildCurveLaunched({ blockAtMs: second(0), quoteMint: buildKey(0xc01) })
    const facts = [trade(50), found, behind, late(5000, 60, 1), repaired(5000)]
    const { records } = given([mints, gaps], [other]).when(...facts)
    expect(gapsIn(records).map(told)).to.deep.equal(['50-100 ?/? open', '60-60 1/? late'])
  })

  it('after which no trade comes is told once it was read or given up', () => {
    expect(toldOf(trade(50), late(90, 70, 2), repaired(90, account))).to.deep.equal(['70-70 1/2 late'])
    expect(toldOf(trade(50), repaired(110, { ...account, ...failed }))).to.deep.equal(['50-110 ?/? given_up'])
    expect(toldOf(trade(50), repaired(90, { ...account, lateCount: 0 })), 'nothing is missing').to.deep.equal([])
  })

  it('is told from where the gap before the next trade begins, if both are open', () => {
    expect(toldOf(trade(50), found, behind, repaired(110, { ...account, ...failed })).at(-1)).to.equal(
      '50-110 ?/? given_up',
    )
  })

  it('is open before a migration if the newest trade left tokens for sale', () => {
    const migrated = buildCurveMigrated({ blockAtMs: second(100) })
    const sold = trade(60, { realTokenRaw: 0n })
    const lastSold = (publishedAtSec: number) =>
      trade(publishedAtSec, { sol: 2, realTokenRaw: 0n, lateSlot: 1070, lateAtMs: second(70) })
    expect(toldOf(trade(50), migrated)).to.deep.equal(['50-100 ?/? open'])
    expect(toldOf(trade(50), sold, migrated)).to.deep.equal([])
    expect(toldOf(trade(50), lastSold(90), repaired(90, account), migrated), 'read before').to.deep.equal([
      '70-70 1/2 late',
    ])
    const readLater = [trade(50), migrated, late(130, 65, 1), lastSold(130), repaired(130, account)]
    expect(toldOf(...readLater)).to.deep.equal(['50-100 ?/? open', '50-100 0/0 late', '65-70 2/3 late'])
    const { txHash, logIndex, blockAtMs: atMs } = migrated.data
    const { records } = given([mints, gaps], [launched]).when(migrated)
    expect(gapsIn(records)[0]).to.include({ txHash, logIndex, atMs })
  })

  it('is not told before a migration that is late, or of a curve in mayhem mode', () => {
    const lateFields = { blockAtMs: second(100), lateSlot: 1080, lateAtMs: second(80) }
    expect(toldOf(trade(50), buildCurveMigrated(lateFields))).to.deep.equal([])
    const mayhem = buildCurveLaunched({ blockAtMs: second(0), isMayhem: true })
    const { records } = given([mints, gaps], [mayhem]).when(buildCurveMigrated({ blockAtMs: second(100) }))
    expect(gapsIn(records)).to.deep.equal([])
  })

  it('is of no mint that is not open, and forgotten when the mint is found anew', () => {
    given([mints, gaps]).when(trade(50), found, behind, repaired(140, failed)).emits([])
    const anew = buildCurveFound({ blockAtMs: second(120) })
    expect(toldOf(trade(50), found, behind, anew, repaired(140, failed))).to.deep.equal(['50-100 ?/1.5 open'])
  })

  it('leaves nothing behind when the mint is closed', () => {
    const then = given([mints, gaps], [launched, trade(50)]).when(found, behind)
    expect(then.wokenAt(second(100 + 24 * 3600)).driver.counts()).to.deep.equal({ tokens: 0, timers: 0 })
  })

  it('is kept a hundred times at most; the oldest stays as it was told', () => {
    const many = Array.from({ length: 101 }, (_, index) => {
      const next = trade(100 + index)
      return [buildGapFound({ ...placeOf(next), lastSlot: 1, missingQuoteRaw: 1n }), next] as const
    })
    const facts = many.flat()
    const repairOf = (index: number) => {
      const { txHash: gapTxHash, logIndex: gapLogIndex } = (many[index] as (typeof many)[number])[1].data
      return repaired(400, { gapTxHash, gapLogIndex, ...failed })
    }
    expect(toldOf(...facts, repairOf(0))).to.have.length(101)
    expect(toldOf(...facts, repairOf(1))).to.have.length(102)
  })
})
