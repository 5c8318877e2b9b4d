import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { pino } from 'pino'
import { OperationError } from '../../../../infra/errors.ts'
import { createGapTracker } from '../../../../ingest/chain-b/repair/gap-tracker.ts'
import { withLateFacts } from '../../../../ingest/chain-b/repair/late-facts.ts'
import {
  type BlockReader,
  createRepairs,
  type EventReader,
  type RepairLimits,
} from '../../../../ingest/chain-b/repair/repairs.ts'
import type { MintFact } from '../../../../ingest/chain-b/types.ts'
import type { ChainBEvent } from '../../../../schemas/chain-b/facts.ts'
import { buildCurveTraded, buildGapFound, buildGapRepaired } from '../../../support/chain-b/build-facts.ts'

const startMs = 1_800_000_000_000
const silent = pino({ level: 'silent' })
const hashOf = (text: string) => `0x${Buffer.from(text).toString('hex')}` as const

/** Returns the lost trade of a mint, and two facts in slot 10: the gap, and the trade after it. */
function gapOf(key: string, blockAtMs = startMs): Readonly<{ missed: ChainBEvent; facts: readonly MintFact[] }> {
  const amounts = { quoteRaw: 10n, tokenRaw: 10n }
  const behind = { blockNumber: 10, blockAtMs, txHash: hashOf(`${key}2`), logIndex: 0 }
  const missed = buildCurveTraded({
    ...{ ...amounts, virtualQuoteRaw: 110n, virtualTokenRaw: 90n },
    ...{ blockNumber: 9, blockAtMs, txHash: hashOf(`${key}1`), logIndex: 0 },
  })
  const next = buildCurveTraded({ ...amounts, virtualQuoteRaw: 120n, virtualTokenRaw: 80n, ...behind })
  const found = buildGapFound({ lastSlot: 8, missingQuoteRaw: 10n, missingTokenRaw: 10n, ...behind })
  return { missed, facts: [found, next].map((fact) => ({ key, fact })) }
}

const readBlock: BlockReader = async (slot) => ({ number: slot, hash: hashOf(String(slot)), atMs: startMs })

type Drawing = Readonly<{
  keys: readonly string[]
  answers: EventReader
  limits?: Partial<RepairLimits>
  untilMs?: number
}>

/**
 * Returns when the events of each mint's gap were read, in milliseconds since the start, and the result. The
 * waits of the repair move the simulated clock.
 */
async function draw({ keys, answers, limits, untilMs = 70_000 }: Drawing) {
  const logged: string[] = []
  const note = (level: string) => (fields: object) =>
    void logged.push(`${level} ${'reason' in fields ? fields.reason : 'repaired'}`)
  const logger = { info: note('info'), warn: note('warn') } as unknown as typeof silent
  const clock = { nowMs: startMs }
  const reads: Record<string, number[]> = {}
  const book = createGapTracker()
  const stop = new AbortController()
  const repairs = createRepairs(book, {
    ...{ logger, readBlock, nowMs: () => clock.nowMs, ...(limits && { limits }) },
    readEvents: (gap, signal) => {
      const times = reads[gap.key] ?? []
      reads[gap.key] = times
      times.push(clock.nowMs - startMs)
      return answers(gap, signal)
    },
    delay: async (ms) => {
      // Lets answers arrive.
      for (let turn = 0; turn < 3; turn++) await setImmediate()
      clock.nowMs += ms
      if (clock.nowMs - startMs > untilMs) stop.abort()
    },
  })
  book.note(keys.flatMap((key) => gapOf(key).facts))
  repairs.update()
  await repairs.run(stop.signal)
  const done = repairs.dueIn(11).map(({ gap, failure, lateCount }) => [gap.key, lateCount, failure])
  return { reads, done, book, repairs, logged }
}

const missedOf: EventReader = async ({ key }) => [gapOf(key).missed]
const away: EventReader = async () => {
  throw new OperationError('node_unreachable', 'the node is away')
}

describe('the repair of gaps', () => {
  it('reads a gap at once, and once', async () => {
    const { reads, done, logged } = await draw({ keys: ['a'], answers: missedOf })
    expect(reads).to.deep.equal({ a: [0] })
    expect(logged).to.deep.equal(['info repaired'])
    expect(done).to.deep.equal([['a', 1, null]])
  })

  it('tries again after 1, 2, 4, … seconds, and says after a minute why it could not', async () => {
    const { reads, done, logged } = await draw({ keys: ['a'], answers: away })
    expect(logged).to.deep.equal(['warn the node is away'])
    expect(reads).to.deep.equal({ a: [0, 1000, 3000, 7000, 15_000, 31_000, 63_000] })
    expect(done).to.deep.equal([['a', 0, 'the node is away']])
  })

  it('tries again while the node has not all of it, and publishes what it has in the end', async () => {
    let tries = 0
    const lags: EventReader = async (gap, signal) => (++tries < 3 ? [] : await missedOf(gap, signal))
    const { reads, done } = await draw({ keys: ['a'], answers: lags })
    expect(reads).to.deep.equal({ a: [0, 1000, 3000] })
    expect(done).to.deep.equal([['a', 1, null]])
    const never = await draw({ keys: ['a'], answers: async () => [], limits: { triesMax: 2 } })
    expect(never.done).to.deep.equal([['a', 0, 'the 0 trades that the node has of the gap do not add up']])
  })

  it('is not held up by a curve that fails or hangs', async () => {
    const answers: EventReader = (gap, signal) => {
      if (gap.key === 'hangs') return new Promise((_, reject) => signal.addEventListener('abort', reject))
      return gap.key === 'fails' ? away(gap, signal) : missedOf(gap, signal)
    }
    const { reads, done } = await draw({ keys: ['hangs', 'fails', 'a', 'b', 'c'], answers, limits: { atOnce: 2 } })
    expect(reads).to.deep.include({ hangs: [0], fails: [0, 1000, 3000, 7000, 15_000, 31_000, 63_000] })
    for (const key of ['a', 'b', 'c']) expect(reads[key]?.[0]).to.be.below(2_000)
    expect(done.map(([key]) => key)).to.deep.equal(['a', 'b', 'c', 'fails'])
  })

  it('gives up a read that takes too long', async () => {
    const hangs: EventReader = (_, signal) => new Promise((_, reject) => signal.addEventListener('abort', reject))
    const clock = { nowMs: startMs }
    const book = createGapTracker()
    const stop = new AbortController()
    const limits = { limitMs: 20, triesMax: 1 }
    const repairs = createRepairs(book, {
      readEvents: hangs,
      readBlock,
      nowMs: () => clock.nowMs,
      logger: silent,
      limits,
    })
    book.note(gapOf('a').facts)
    repairs.update()
    const running = repairs.run(stop.signal)
    while (repairs.dueIn(11).length === 0) await setImmediate()
    stop.abort()
    await running
    expect(repairs.dueIn(11)[0]?.failure).to.equal('the node did not answer in time')
  })

  it('reads no more than a few at the same time, and one of a mint', async () => {
    let active = 0
    let most = 0
    const answers: EventReader = async (gap, signal) => {
      most = Math.max(most, ++active)
      for (let turn = 0; turn < 20; turn++) await setImmediate()
      active--
      return missedOf(gap, signal)
    }
    const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    expect((await draw({ keys, answers })).done).to.have.lengthOf(7)
    expect(most).to.equal(4)
  })

  it('does not take up more gaps than may wait, nor those that are too old', async () => {
    const { done } = await draw({ keys: ['a', 'b', 'c'], answers: missedOf, limits: { waitingMax: 2 } })
    expect(done).to.deep.equal([
      ['c', 0, 'too many gaps wait for a repair'],
      ['a', 1, null],
      ['b', 1, null],
    ])
    const book = createGapTracker()
    const nowMs = () => startMs + 24.5 * 3_600_000 + 1
    const repairs = createRepairs(book, { readEvents: missedOf, readBlock, nowMs, logger: silent })
    book.note(gapOf('a').facts)
    repairs.update()
    expect(repairs.dueIn(11).map(({ failure }) => failure)).to.deep.equal(['the gap is too old'])
  })

  it('publishes in a later slot only, and the same again until it is in the log', async () => {
    const { repairs, book } = await draw({ keys: ['a', 'b'], answers: missedOf })
    expect(repairs.dueIn(10)).to.deep.equal([])
    const head = { number: 12, hash: '0x12', atMs: startMs + 800 } as const
    const own = [11, 12].map((blockNumber) => ({ key: 'c', fact: buildCurveTraded({ blockNumber }) }))
    const range = withLateFacts({ fromBlock: 11, head, facts: own, newAddresses: [] }, repairs.dueIn(12))
    expect(repairs.dueIn(12)).to.have.lengthOf(2)
    const told = range.facts.map(({ key, fact }) => [key, fact.type, fact.data.blockNumber, fact.data.txIndex])
    expect(told.slice(1, -1)).to.deep.equal([
      ['a', 'CurveTraded', 12, 0],
      ['a', 'GapRepaired', 12, 1],
      ['b', 'CurveTraded', 12, 2],
      ['b', 'GapRepaired', 12, 3],
    ])
    expect(range.facts[1]?.fact.data).to.deep.include({ lateSlot: 9, lateAtMs: startMs, blockAtMs: head.atMs })
    book.note(range.facts)
    repairs.update()
    expect([...repairs.dueIn(12), ...book.open.keys()]).to.deep.equal([])
  })

  it('publishes a limited number of late facts at once', async () => {
    const { repairs } = await draw({ keys: ['a', 'b', 'c'], answers: missedOf, limits: { factCountMax: 4 } })
    expect(repairs.dueIn(11).map(({ gap }) => gap.key)).to.deep.equal(['a', 'b'])
  })

  it('forgets a gap that is closed while its facts are read', async () => {
    const closing: EventReader = async ({ key, place }) => {
      const { txHash, logIndex } = place
      book.note([{ key, fact: buildGapRepaired({ gapTxHash: txHash, gapLogIndex: logIndex }) }])
      return [gapOf(key).missed]
    }
    const book = createGapTracker()
    const stop = new AbortController()
    const repairs = createRepairs(book, {
      ...{ readEvents: closing, readBlock, nowMs: () => startMs, logger: silent },
      delay: async () => {
        await setImmediate()
        stop.abort()
      },
    })
    book.note(gapOf('a').facts)
    repairs.update()
    await repairs.run(stop.signal)
    expect(repairs.dueIn(11)).to.deep.equal([])
  })

  it('is not finished if a slot with missing facts has no block', async () => {
    const book = createGapTracker()
    const limits = { triesMax: 1 }
    const repairs = createRepairs(book, {
      ...{ readEvents: missedOf, readBlock: async () => null, nowMs: () => startMs, logger: silent, limits },
    })
    const stop = new AbortController()
    book.note(gapOf('a').facts)
    repairs.update()
    const running = repairs.run(stop.signal)
    while (repairs.dueIn(11).length === 0) await setImmediate()
    stop.abort()
    await running
    expect(repairs.dueIn(11)[0]?.failure).to.contain('no block of that slot')
  })

  it('stops at a bug of ours', async () => {
    const answers: EventReader = async () => {
      throw new TypeError('a bug')
    }
    const failure = await draw({ keys: ['a'], answers }).catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(TypeError)
  })
})
