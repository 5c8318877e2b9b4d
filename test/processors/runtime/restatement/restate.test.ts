import { expect } from 'chai'
import { isOperationError } from '../../../../infra/errors.ts'
import type { Log } from '../../../../infra/log/log.ts'
import { createMemoryLog } from '../../../../infra/log/memory/memory-log.ts'
import { revisionOf } from '../../../../processors/chain-a/buyers/buyers.ts'
import { chainA } from '../../../../processors/stages.ts'
import type { ChainADerivedRecord } from '../../../../schemas/chain-a/derived.ts'
import type { ChainAFact } from '../../../../schemas/chain-a/facts.ts'
import { type ChainATypes, chainAStage } from '../../../../schemas/chain-a/stage.ts'
import type { Tick } from '../../../../schemas/tick.ts'
import type { KeyedRecord } from '../../../replay/keyed-record.ts'
import { appendFacts, derivedBytes, type OpenStage, openStage, readAll, runUntil } from '../../../replay/stage-log.ts'
import {
  buildAddress,
  buildHash,
  buildPoolCreated,
  buildSendersAnswered,
  buildSwap,
  buildTick,
  second,
  testPool,
  testStartAtMs,
  testToken,
} from '../../../support/builders/build-facts.ts'

const partition = 1
const secondsOf = (atMs: number) => (atMs - testStartAtMs) / 1000

/** Builds a log step by step. Each block number is 1000 plus the time of the block in seconds. */
class Telling {
  readonly records: KeyedRecord<ChainATypes>[] = []
  #seq = 0
  #knownAtMs = 0

  fact(...facts: readonly ChainAFact[]): this {
    for (const record of facts) this.records.push({ key: testToken, record })
    return this
  }
  tick(atSecond: number, fields: Partial<Tick> = {}): this {
    const blockAtMs = second(atSecond)
    // The new branch of a reorg may end at an earlier time than the old branch. `knownAtMs` still never
    // falls.
    this.#knownAtMs = Math.max(this.#knownAtMs, blockAtMs)
    const data = buildTick({ seq: ++this.#seq, blockAtMs, knownAtMs: this.#knownAtMs, ...fields })
    this.records.push({ key: 'tick', record: { type: 'Tick', data } })
    return this
  }
  /** Adds a tick that reports a reorg. The reorg begins at the block of second `fromSecond`. */
  reorg(fromSecond: number, headSecond: number): this {
    return this.tick(headSecond, { revertedFrom: 1000 + fromSecond, blockHash: buildHash(0xbad) })
  }
  get seq(): number {
    return this.#seq
  }
}

type SwapFields = Parameters<typeof buildSwap>[0]
/** The same `number` gives the same transaction, so that a buy can be mined again in another block. */
const buy = (number: number, atSecond: number, fields: SwapFields = {}) =>
  buildSwap({ blockAtMs: second(atSecond), txHash: buildHash(0xabc00 + number), logIndex: number, ...fields })

/** Twelve buys, one per second. The tier `lite` fires at the eighth buy, and the tier `main` at the twelfth. */
const buysFrom = (atSecond: number, fields: SwapFields = {}) =>
  Array.from({ length: 12 }, (_, index) => buy(index, atSecond + index, fields))

/**
 * A pool created at second 0, and twelve buys from second 600 on. Each buy has its own tick. The tier `main`
 * fires at second 611.
 */
const fired = () => {
  const telling = new Telling().fact(buildPoolCreated({ blockAtMs: second(0) })).tick(0)
  for (const swap of buysFrom(600)) telling.fact(swap).tick(secondsOf(swap.data.blockAtMs))
  return telling
}

/**
 * True for records of trade gaps. The prices of the test swaps do not fit together, so the stage finds gaps
 * between the swaps.
 */
const isOfGaps = ({ type, data }: ChainADerivedRecord): boolean =>
  type === 'TradeGap' || ('recordType' in data && data.recordType === 'TradeGap')

/** The text of one record: the type, the tier and the time in seconds. */
function lineOf({ type, data }: ChainADerivedRecord): string {
  const words: (string | number | null)[] = [type]
  if ('recordType' in data) words.push(data.recordType)
  if ('tier' in data) words.push(data.tier)
  if ('atMs' in data) words.push(secondsOf(data.atMs))
  if ('minuteAtMs' in data) words.push(secondsOf(data.minuteAtMs), `${data.buys} buys`)
  if ('supersedesAtMs' in data && data.supersedesAtMs !== null) words.push('for', secondsOf(data.supersedesAtMs))
  return words.filter((word) => word !== null).join(' ')
}

describe('a tick that reports a reorg', () => {
  let open: OpenStage<ChainATypes>
  before(async () => {
    open = await openStage(chainA)
  })

  const logOf = async ({ records }: Telling) => {
    const log = createMemoryLog({ nowMs: () => 0 })
    await appendFacts({ ...open, log, partition }, records)
    return log
  }
  const run = (log: Log, seq: number, snapshotEveryMs = Number.POSITIVE_INFINITY) =>
    runUntil({ ...open, partition }, seq, { log, snapshotEveryMs })

  /**
   * Returns the lines that each tick published, by the `seq` of the tick. Fails if a run with a snapshot at
   * every tick gives other bytes.
   */
  const publishedBy = async (telling: Telling): Promise<Map<number, string[]>> => {
    const log = await logOf(telling)
    await run(log, telling.seq)
    const withSnapshots = await logOf(telling)
    await run(withSnapshots, telling.seq, 0)
    expect(await derivedBytes(withSnapshots, chainAStage, partition)).to.deep.equal(
      await derivedBytes(log, chainAStage, partition),
    )
    const published = new Map<number, string[]>()
    let lines: string[] = []
    for (const { value } of await readAll(log, 'chain-a-derived', partition)) {
      const record = open.derivedCodec.decode(value!)
      if (isOfGaps(record)) continue
      if (record.type !== 'Tick') lines.push(lineOf(record))
      else {
        published.set(record.data.seq, lines)
        lines = []
      }
    }
    return published
  }
  const last = async (telling: Telling) => (await publishedBy(telling)).get(telling.seq)

  //   600 ………… 607 …… 611 │ R: 605 … 611 again
  //            lite   main
  it('says of the same swaps, mined again in the same blocks, only that their fills are not due yet', async () => {
    const telling = fired()
    telling.fact(...buysFrom(600).slice(5)).reorg(605, 611)
    expect(await last(telling)).to.deep.equal(['Withdrawn DeskOpened 610'])
    telling.tick(615)
    expect(await last(telling)).to.include('DeskOpened')
  })

  it('restates the bursts of blocks with another hash, without a new question', async () => {
    const telling = fired()
    telling.fact(...buysFrom(600, { blockHash: buildHash(0xbad) }).slice(5)).reorg(605, 611)
    expect(await last(telling)).to.deep.equal([
      'Withdrawn DeskOpened 610',
      'Restated Burst lite 607',
      'Burst lite 607',
      'Restated Burst main 611',
      'Burst main 611',
    ])
  })

  //   600 ………… 607 …… 611 │ R: 605 … 611 empty │ 700 ………… 707 …… 711
  //            lite   main │                     │          lite   main
  it('withdraws the bursts of swaps that are gone, and the pool may fire again', async () => {
    const telling = fired().reorg(605, 611)
    const reorgSeq = telling.seq
    telling.fact(...buysFrom(700).slice(0, 12)).tick(711)
    const published = await publishedBy(telling)
    expect(published.get(reorgSeq)).to.deep.equal([
      'Withdrawn Burst lite 607',
      'Withdrawn Burst main 611',
      'Withdrawn DeskOpened 610',
      'Withdrawn SendersAsked main 611',
      // The minute had eleven buys when it was published at 610. Five of them remain.
      'Restated PoolMinute 600',
      'PoolMinute 600 5 buys',
    ])
    expect(published.get(telling.seq)).to.deep.equal([
      'PoolMinute 660 1 buys',
      'Burst lite 707',
      'PoolMinute 660 11 buys',
      'Burst main 711',
      'SendersAsked main 711',
    ])
  })

  // The reorg moves the buys of seconds 605 to 611 four seconds later. The bursts move with them.
  //   600 ………… 607 …… 611 │ reorg from 605: 611 …… 615
  //            lite   main │                 lite   main
  it('withdraws the burst of swaps that moved, and the new one supersedes it', async () => {
    const telling = fired()
    telling.fact(...buysFrom(604).slice(5)).reorg(605, 615)
    expect(await last(telling)).to.deep.equal([
      'Withdrawn Burst lite 607',
      'Withdrawn Burst main 611',
      'Withdrawn DeskOpened 610',
      'Withdrawn SendersAsked main 611',
      'Restated Burst lite 611 for 607',
      'Burst lite 611',
      'Restated Burst main 615 for 611',
      'Burst main 615',
      'Restated PoolMinute 600',
      'PoolMinute 600 7 buys',
      'SendersAsked main 615',
    ])
  })

  // The first reorg moves the buys of seconds 605 to 611 four seconds later.
  // The second reorg only replaces the hashes of the blocks from second 609 on.
  //   600 ………… 607 …… 611 │ reorg from 605: 611 …… 615 │ reorg from 609: 611 …… 615
  //            lite   main │                 lite   main │                 lite   main
  it('keeps saying which burst a moved one supersedes when that is restated once more', async () => {
    const telling = fired()
    telling.fact(...buysFrom(604).slice(5)).reorg(605, 615)
    telling.fact(...buysFrom(604, { blockHash: buildHash(0xbad) }).slice(5)).reorg(609, 615)
    expect(await last(telling)).to.deep.equal([
      'Restated Burst lite 611 for 607',
      'Burst lite 611',
      'Restated Burst main 615 for 611',
      'Burst main 615',
    ])
    for (let seq = 0; seq < 200; seq++) telling.tick(616)
    telling.fact(...buysFrom(604, { blockHash: buildHash(0xdad) }).slice(5)).reorg(609, 616)
    expect(await last(telling)).to.include.members([
      'Restated Burst lite 611 for 607',
      'Restated Burst main 615 for 611',
    ])
  })

  it('gives a later burst to the buyers that were found for it before', async () => {
    const telling = fired()
    const asked = buysFrom(600).map(({ data }) => data.txHash)
    const answer = buildSendersAnswered({
      questionId: `${testPool}:main:${second(611)}`,
      revision: revisionOf(asked),
      senders: asked.map((txHash) => ({ txHash, sender: buildAddress(7) })),
    })
    telling.records.push({ key: testToken, record: answer })
    telling.tick(612)
    telling.fact(...buysFrom(600, { blockHash: buildHash(0xbad) }).slice(5)).reorg(605, 612)
    telling.tick(617)
    expect(await last(telling)).to.include('BurstBuyers main 611')
  })

  it('withdraws what it says of a pool whose creation is gone', async () => {
    const telling = fired().reorg(0, 611)
    const withdrawn = await last(telling)
    expect(withdrawn).to.include.members([
      'Withdrawn PoolOpened 0',
      'Withdrawn PoolMinute 600',
      'Withdrawn Burst main 611',
    ])
    expect(withdrawn?.every((line) => line.startsWith('Withdrawn'))).to.equal(true)
  })

  // The burst fires at second 611, a swap at 620 doubles the price, and the outcome follows at 2412.
  // Then a reorg removes the swap of second 620.
  it('restates an outcome that a dead swap was in', async () => {
    const telling = fired()
      .fact(buy(50, 620, { px: 2e-9 }))
      .tick(620)
      .tick(2412)
      .reorg(620, 2412)
    expect(await last(telling)).to.include.members(['Restated BurstOutcome main 611', 'BurstOutcome main 611'])
  })

  // The minute gets a swap at second 10 and a swap at second 25. A version is published after each swap.
  // Then a reorg removes the swap of second 25.
  it('publishes the earlier version of a minute again', async () => {
    const telling = new Telling().fact(buildPoolCreated({ blockAtMs: second(0) })).tick(0)
    telling.fact(buy(1, 10)).tick(10).tick(21).fact(buy(2, 25)).tick(25).tick(31).reorg(25, 31)
    const published = await publishedBy(telling)
    expect(published.get(2)).to.deep.equal(['PoolMinute 0 1 buys'])
    expect(published.get(4)).to.deep.equal(['PoolMinute 0 2 buys'])
    expect(published.get(6)).to.deep.equal(['Restated PoolMinute 0', 'PoolMinute 0 1 buys'])
  })

  // The minute gets a swap at second 10, and its first version is published.
  // Then a reorg from second 23 on brings a swap that was not on the old branch.
  it('takes in a fact that comes late, whatever was published of its minute before', async () => {
    const telling = new Telling().fact(buildPoolCreated({ blockAtMs: second(0) })).tick(0)
    telling.fact(buy(1, 10)).tick(10).tick(21).tick(24).tick(31).fact(buy(2, 23)).reorg(23, 31)
    expect(await last(telling)).to.deep.equal(['Restated PoolMinute 0', 'PoolMinute 0 2 buys'])
  })

  it('goes on from a head that is lower than the old one', async () => {
    const telling = fired().reorg(605, 604)
    const reorgSeq = telling.seq
    for (const swap of buysFrom(600).slice(5)) telling.fact(swap).tick(secondsOf(swap.data.blockAtMs))
    const published = await publishedBy(telling)
    expect(published.get(reorgSeq)).to.include('Withdrawn Burst main 611')
    expect(published.get(telling.seq)).to.deep.equal(['Burst main 611', 'SendersAsked main 611'])
  })

  it('leaves a snapshot behind, so that the next start does not fold so far again', async () => {
    const telling = fired().reorg(605, 611)
    const log = await logOf(telling)
    let now = 0
    const nowMs = () => now++
    await runUntil({ ...open, partition }, telling.seq, { log, nowMs, snapshotEveryMs: 1000 })
    const live = (await readAll(log, 'snapshots', 0)).filter(({ value }) => value !== null)
    expect(live.map(({ key }) => key)).to.include(`chain-a-${partition}/${telling.seq}/manifest`)
  })

  /** Returns the log as if retention had removed the facts before `offset`. */
  const without = (log: Log, offset: number): Log => ({
    ...log,
    bounds: async (topic, of) => {
      const bounds = await log.bounds(topic, of)
      return topic === 'chain-a-facts' ? { ...bounds, startOffset: offset } : bounds
    },
  })

  it('is refused where what it goes back to is known no more', async () => {
    const telling = fired().reorg(605, 611)
    const failed = await run(without(await logOf(telling), 8), telling.seq).catch((error: unknown) => error)
    expect(isOperationError(failed, 'reorg_too_deep')).to.equal(true)
    expect(failed).to.have.property('message').that.includes('reports a reorg from block 1605')
  })

  it('is passed over again with what is left of the facts, once it is published', async () => {
    const telling = fired().reorg(605, 611)
    const log = await logOf(telling)
    await run(log, telling.seq)
    const published = await derivedBytes(log, chainAStage, partition)
    await run(without(log, 8), telling.seq)
    expect(await derivedBytes(log, chainAStage, partition)).to.deep.equal(published)
  })
})
