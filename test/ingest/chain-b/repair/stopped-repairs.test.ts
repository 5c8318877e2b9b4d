/**
 * Tests repairs, which run in parallel with the ranges. No read of a repair may continue when the ranges end
 * or begin again.
 */
import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { pino } from 'pino'
import { factIdOf } from '../../../../ingest/chain-b/fact-order.ts'
import { createReserveMemory } from '../../../../ingest/chain-b/follow/reserve-memory.ts'
import { withRepairs } from '../../../../ingest/chain-b/repair/with-repairs.ts'
import type { ChainBRange, ChainBSource, KnownChainB } from '../../../../ingest/chain-b/types.ts'
import { nobodyCalled } from '../../../../ingest/followed-tokens.ts'
import { eventsOf, nodeOf, sourceOf, stretchOf, type TapeNode, tapes } from './recorded-source.ts'

const [recorded] = tapes
const tape = stretchOf(recorded ?? expect.fail('no tape'), 0.5, 40)
const logger = pino({ level: 'silent' })
const known: KnownChainB = {
  book: { mints: new Map(), pools: new Map(), followed: nobodyCalled },
  blocksFrom: async () => [],
  factIdsFrom: async () => new Map(),
  factsFrom: async () => [],
}

/**
 * Creates a node whose answer about transactions never comes. An aborted read fails a short time after the
 * abort.
 */
function createSlowNode() {
  const reads: ('open' | 'aborted' | 'ended')[] = []
  const transactionsOf: TapeNode['transactionsOf'] = async (_address, _range, signal) => {
    const place = reads.push('open') - 1
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    reads[place] = 'aborted'
    await setImmediate()
    reads[place] = 'ended'
    throw signal.reason
  }
  return { reads, node: { ...nodeOf(tape), transactionsOf } }
}

type World = Readonly<{
  node: TapeNode
  /** Changes each range of the source. */
  through?: (range: ChainBRange) => ChainBRange
}>

/**
 * Returns the ranges of a source with repairs that loses one trade. Also returns the number of open waits of
 * the repairs.
 */
function openRepaired({ node, through = (range) => range }: World) {
  const reserves = createReserveMemory()
  const lost = new Set(
    eventsOf(tape)
      .slice(10, 11)
      .map(({ fact }) => factIdOf(fact)),
  )
  const clock = { nowMs: 0 }
  const inner = sourceOf(tape, { reserves, lost, clock, isEnded: () => false })
  const source: ChainBSource = {
    kind: 'chain',
    async *ranges(...given) {
      for await (const range of inner.ranges(...given)) yield through(range)
    },
  }
  const waits = { open: 0 }
  const delay = async () => {
    waits.open++
    await setImmediate()
    waits.open--
  }
  const repaired = withRepairs(source, { node, reserves, logger, delay, nowMs: () => clock.nowMs })
  return { waits, ranges: () => repaired.ranges(null, known, new AbortController().signal) }
}

describe('the repairs beside a source', () => {
  it('have ended when the consumer has left', async () => {
    const { reads, node } = createSlowNode()
    const { waits, ranges } = openRepaired({ node })
    for await (const _range of ranges()) if (reads.length > 0) break
    expect({ reads, waits }).to.deep.equal({ reads: ['ended'], waits: { open: 0 } })
  })

  it('have ended when the source has failed', async () => {
    const { reads, node } = createSlowNode()
    const failure = new RangeError('the source is at its end')
    const through = (range: ChainBRange) => {
      if (reads.length > 0) throw failure
      return range
    }
    const { waits, ranges } = openRepaired({ node, through })
    const read = async () => {
      for await (const _range of ranges());
    }
    expect(await read().catch((error: unknown) => error)).to.equal(failure)
    expect({ reads, waits }).to.deep.equal({ reads: ['ended'], waits: { open: 0 } })
  })

  it('have ended when the first range after a reorg comes, and read nothing of the branch that was left', async () => {
    const { reads, node } = createSlowNode()
    let reorgs = 0
    const through = (range: ChainBRange): ChainBRange => {
      if (reads.length === 0 || reorgs > 0) return range
      reorgs++
      return { ...range, facts: [], revertedFrom: range.fromBlock }
    }
    const { waits, ranges } = openRepaired({ node, through })
    let rangesAfter = 0
    for await (const { revertedFrom } of ranges()) {
      if (reorgs === 0) continue
      if (revertedFrom === undefined) expect(reads, `range ${rangesAfter} after it`).to.deep.equal(['ended'])
      if (++rangesAfter > 60) break
    }
    expect({ reads, waits }).to.deep.equal({ reads: ['ended'], waits: { open: 0 } })
  })

  it('end the ranges with the failure of a repair that our code caused', async () => {
    const failure = new TypeError('a bug')
    const transactionsOf = async () => {
      throw failure
    }
    const { waits, ranges } = openRepaired({ node: { ...nodeOf(tape), transactionsOf } })
    let count = 0
    const read = async () => {
      // On a busy machine, hundreds of ranges come before the repair reads.
      for await (const _range of ranges()) if (++count > 100_000) expect.fail('nothing failed')
    }
    expect(await read().catch((error: unknown) => error)).to.equal(failure)
    expect(waits.open).to.equal(0)
  })
})
