import { expect } from 'chai'
import { pino } from 'pino'
import { openRpcSource } from '../../../../ingest/chain-b/follow/open-rpc-source.ts'
import type { ChainBRange, KnownMints } from '../../../../ingest/chain-b/types.ts'
import { type FollowedTokens, nobodyCalled } from '../../../../ingest/followed-tokens.ts'
import type { Block } from '../../../../schemas/stage.ts'
import { createFakeChain, type FakeChain } from '../../../support/chain-b/fake-helius/chain.ts'
import { expectedFacts } from '../../../support/chain-b/fake-helius/expected-facts.ts'
import { createFaults } from '../../../support/chain-b/fake-helius/faults.ts'
import { type FakeHelius, startFakeHelius } from '../../../support/chain-b/fake-helius/server.ts'

const logger = pino({ level: 'silent' })

/** A test stops the source after this number of waits. */
const patience = 25

describe('chain B from a calm node', () => {
  let chain: FakeChain
  let fake: FakeHelius

  const start = async (isHelius: boolean) => {
    chain = await createFakeChain(3)
    chain.grow(80)
    const faults = createFaults(1)
    faults.calm()
    fake = await startFakeHelius({ chain, faults, isHelius })
  }
  afterEach(() => fake.stop())

  type Run = Readonly<{
    kind: 'helius' | 'plain'
    cursor?: Block | null
    lookBackSlots?: number
    blocks?: readonly Block[]
    followed?: FollowedTokens
    /** The address book gives each pool a migration time that is earlier by this time. */
    agedMs?: number
    nowMs?: () => number
    patienceMax?: number
    /** Called at each wait of the source, with the number of waits so far. */
    onWait?: (count: number) => unknown
  }>

  /**
   * Returns the ranges until no new ones come. After each range, its new addresses are added to the address
   * book, as ingest does.
   */
  async function rangesOf({ kind, cursor = null, lookBackSlots = 50, blocks = [], onWait, ...rest }: Run) {
    const { followed = nobodyCalled, agedMs = 0, nowMs, patienceMax = patience } = rest
    const book = { mints: new Map(), pools: new Map(), followed } satisfies KnownMints
    const published: Block[] = [...blocks]
    const stop = new AbortController()
    let waits = 0
    const source = openRpcSource({
      node: kind === 'helius' ? { kind, url: fake.url, wsUrl: fake.wsUrl } : { kind, url: fake.url },
      ...{ lookBackSlots, reorgSlotsMax: 100, pollMs: 400, logger, ...(nowMs && { nowMs }) },
      delay: async () => {
        waits++
        onWait?.(waits)
        if (waits > patienceMax) stop.abort()
      },
    })
    const known = { book, blocksFrom: async () => published } as unknown as Parameters<typeof source.ranges>[1]
    const ranges: ChainBRange[] = []
    for await (const range of source.ranges(cursor, known, stop.signal)) {
      ranges.push(range)
      for (const { type, data } of range.newAddresses)
        if (type === 'MintAddress') book.mints.set(data.mint, data)
        else book.pools.set(data.pool, { ...data, migratedAtMs: data.migratedAtMs - agedMs })
      published.splice(published.findLastIndex(({ number }) => number < range.fromBlock) + 1)
      published.push(range.head)
    }
    return ranges
  }

  for (const kind of ['helius', 'plain'] as const)
    it(`reads the pools of called tokens beyond their life: ${kind}`, async () => {
      await start(kind === 'helius')
      const followed = { of: () => [{ sinceMs: 0, untilMs: Number.MAX_SAFE_INTEGER }] }
      const onWait = (count: number) => count < 3 && chain.grow(1, true)
      const called = await rangesOf({ kind, agedMs: 2 * 3_600_000, followed, onWait })
      expect(livingOf(called)).to.deep.equal(expectedOf(called))
      const uncalled = await rangesOf({ kind, agedMs: 2 * 3_600_000, onWait })
      expect(livingOf(uncalled).length).to.be.lessThan(expectedOf(uncalled).length)
    })

  const cursorBefore = (count: number): Block => {
    const block = chain.blocks().at(-count)
    if (!block) throw new RangeError(`the chain has ${count} blocks`)
    return { number: block.slot, hash: block.hash, atMs: block.atSec * 1000 }
  }
  const headOf = (ranges: readonly ChainBRange[]) => ranges.at(-1)?.head.number ?? 0
  const expectedOf = (ranges: readonly ChainBRange[]) =>
    expectedFacts(chain, { fromSlot: ranges[0]?.fromBlock ?? 0, toSlot: headOf(ranges) })
  const livingOf = (ranges: readonly ChainBRange[]) =>
    ranges.reduce<ChainBRange['facts']>(
      (canonical, { revertedFrom, facts }) => [
        ...canonical.filter(({ fact }) => fact.data.blockNumber < (revertedFrom ?? Number.POSITIVE_INFINITY)),
        ...facts,
      ],
      [],
    )

  for (const kind of ['helius', 'plain'] as const) {
    it(`begins the look-back before the head, with one block, and comes to the head: ${kind}`, async () => {
      await start(kind === 'helius')
      const head = chain.head().slot
      const ranges = await rangesOf({ kind, onWait: (count) => count < 3 && chain.grow(1, true) })
      const first = chain.blocks().find(({ slot }) => slot >= head - 50)
      expect(ranges[0]).to.include({ fromBlock: first?.slot }).and.not.have.property('revertedFrom')
      expect(ranges[0]?.head).to.deep.include({ number: first?.slot, hash: first?.hash })
      expect(headOf(ranges)).to.be.at.least(head)
      for (const [index, { fromBlock }] of ranges.slice(1).entries())
        expect(fromBlock).to.equal((ranges[index]?.head.number ?? 0) + 1)
      expect(livingOf(ranges)).to.deep.equal(expectedOf(ranges))
    })

    it(`replaces the slots of a branch that was left, with what is there instead: ${kind}`, async () => {
      await start(kind === 'helius')
      const ranges = await rangesOf({
        kind,
        onWait: (count) => {
          if (count === 5) chain.replace(12)
          else if (count < 12) chain.grow(1, true)
        },
      })
      const [reorg] = ranges.filter(({ revertedFrom }) => revertedFrom !== undefined)
      expect(reorg?.revertedFrom).to.equal(reorg?.fromBlock)
      expect(reorg?.facts).to.not.deep.equal([])
      expect(livingOf(ranges)).to.deep.equal(expectedOf(ranges))
    })

    it(`goes on behind the log's last slot, and refuses a log of another chain: ${kind}`, async () => {
      await start(kind === 'helius')
      const after = chain.blocks().at(-20)
      if (!after) throw new RangeError('the chain has twenty blocks')
      const cursor = { number: after.slot, hash: after.hash, atMs: after.atSec * 1000 }
      const [next] = await rangesOf({ kind, cursor, onWait: (count) => count < 3 && chain.grow(1, true) })
      expect(next?.fromBlock).to.equal(cursor.number + 1)
      const foreign = { ...cursor, hash: `0x${'f0'.repeat(32)}` } as const
      const asked = rangesOf({ kind, cursor: foreign, blocks: [foreign], patienceMax: 60 })
      const refused = await asked.catch((error: unknown) => error)
      expect(refused).to.include({ code: 'reorg_too_deep' })
    })
  }

  it('writes nothing of a block that is more than ten minutes ahead of our clock', async () => {
    await start(false)
    const newest = chain.head()
    const cursor = cursorBefore(3)
    const nowAhead = (aheadMs: number) => () => newest.atSec * 1000 - aheadMs
    const run = { kind: 'plain', cursor, patienceMax: 5 } as const
    const early = await rangesOf({ ...run, nowMs: nowAhead(600_001) })
    expect(headOf(early)).to.be.below(newest.slot)
    expect(headOf(await rangesOf({ ...run, nowMs: nowAhead(600_000) }))).to.equal(newest.slot)
  })

  it('waits for a node whose times fall by more than ten minutes', async () => {
    await start(false)
    const cursorOf = (fallMs: number) => {
      const cursor = cursorBefore(3)
      return { ...cursor, atMs: cursor.atMs + fallMs }
    }
    const run = { kind: 'plain', patienceMax: 5 } as const
    expect(await rangesOf({ ...run, cursor: cursorOf(700_000) })).to.deep.equal([])
    expect((await rangesOf({ ...run, cursor: cursorOf(500_000) })).length).to.be.above(0)
  })

  it('takes back the slots that the log has with a time that cannot be', async () => {
    await start(false)
    const [good, wrong, last] = [cursorBefore(12), cursorBefore(11), cursorBefore(3)]
    const year2100 = (block: Block): Block => ({ ...block, atMs: Date.UTC(2100, 0) })
    const blocks = [good, year2100(wrong), year2100(last)]
    const nowMs = () => chain.head().atSec * 1000
    const ranges = await rangesOf({ kind: 'plain', cursor: year2100(last), blocks, nowMs })
    expect(ranges[0]?.revertedFrom).to.equal(good.number + 1)
    expect(ranges[0]?.head.number).to.be.at.least(last.number)
    expect(ranges.filter(({ revertedFrom }) => revertedFrom !== undefined)).to.have.lengthOf(1)
    for (const { head, facts } of ranges)
      for (const { atMs } of [head, ...facts.map(({ fact }) => ({ atMs: fact.data.blockAtMs }))])
        expect(atMs).to.be.at.most(nowMs())
    expect(headOf(ranges)).to.equal(chain.head().slot)
  })

  it('waits for a node that is away, however long', async () => {
    await start(false)
    await fake.stop()
    let waits = 0
    expect(await rangesOf({ kind: 'plain', onWait: () => waits++ })).to.deep.equal([])
    expect(waits).to.be.above(patience)
    await start(false)
  })
})
