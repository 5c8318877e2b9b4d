/** Tests that a range is not read again from its beginning after a failure. */
import { expect } from 'chai'
import { pino } from 'pino'
import { OperationError } from '../../../../infra/errors.ts'
import { pumpProgram } from '../../../../ingest/chain-b/decode/programs.ts'
import { createCurveFinder } from '../../../../ingest/chain-b/follow/find-curves.ts'
import { createListedSlots } from '../../../../ingest/chain-b/follow/listed-slots.ts'
import type { SlotReader } from '../../../../ingest/chain-b/follow/slot-reader.ts'
import { createWholeSlots } from '../../../../ingest/chain-b/follow/whole-slots.ts'
import type { ChainBReader, SlotRange } from '../../../../ingest/chain-b/node/reader.ts'
import { buildBlock, hashOf } from './build.ts'

const never = new AbortController().signal
const logger = pino({ level: 'silent' })
const away = () => new OperationError('node_unreachable', 'away')

/**
 * Creates a node with blocks of one branch. The node notes its requests. A request that is named in `failing`
 * fails one time.
 */
function createNode() {
  const asked: string[] = []
  const failing = new Set<string>()
  let branch = 0
  const answer = <Result>(question: string, result: Result): Result => {
    asked.push(question)
    if (failing.delete(question)) throw away()
    return result
  }
  const blockAt = (slot: number) =>
    buildBlock(slot, { hash: hashOf(slot, branch), parentHash: hashOf(slot - 1, branch) })
  const reader = {
    slotsWithBlocks: async ({ fromSlot, toSlot }: SlotRange) =>
      answer(
        'slots',
        Array.from({ length: toSlot - fromSlot + 1 }, (_, index) => fromSlot + index),
      ),
    block: async (slot: number) => answer(`block ${slot}`, blockAt(slot)),
    wholeBlock: async (slot: number) => answer(`block ${slot}`, { block: blockAt(slot), transactions: [] }),
    transactionsOf: async (address: string, { fromSlot, toSlot }: SlotRange) =>
      answer(`${address === pumpProgram ? 'program' : address} ${fromSlot}-${toSlot}`, []),
    accounts: async (addresses: readonly string[]) =>
      answer(
        `accounts ${addresses.length}`,
        addresses.map(() => null),
      ),
    oldestOf: async (address: string) => answer(address, null),
  } as Partial<ChainBReader> as ChainBReader
  return {
    reader,
    failOnceAt: (question: string) => failing.add(question),
    replace: () => branch++,
    /** Returns the requests that arrived after the previous call of `asked`. */
    asked: () => asked.splice(0),
  }
}

const blocks = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `block ${from + index}`)

type Attempt = Readonly<{ fromSlot?: number; head: number; blockCountMax: number; pools?: readonly string[] }>
const attempt = (slots: SlotReader, { fromSlot = 101, pools = [], ...limits }: Attempt) =>
  slots.read({ fromSlot, ...limits }, () => pools, never).catch((error: unknown) => error)

describe('a range of whole blocks that failed', () => {
  const limits = { head: 120, blockCountMax: 16 }

  it('is read on where it failed, with what was read of it', async () => {
    const node = createNode()
    const slots = createWholeSlots(node.reader, logger)
    node.failOnceAt('block 103')
    expect(await attempt(slots, limits)).to.include({ code: 'node_unreachable' })
    const before = node.asked()
    const read = await attempt(slots, { ...limits, blockCountMax: 12 })
    const left = blocks(101, 112).filter((block) => block === 'block 103' || !before.includes(block))
    expect(left.length).to.be.below(12)
    expect(node.asked()).to.deep.equal(['slots', ...left])
    expect((read as { block: { number: number } }[]).map(({ block }) => `block ${block.number}`)).to.deep.equal(
      blocks(101, 112),
    )
  })

  it('is read anew from another slot on, and when it contradicts itself', async () => {
    const node = createNode()
    const slots = createWholeSlots(node.reader, logger)
    const few = { head: 120, blockCountMax: 2 }
    await attempt(slots, few)
    await attempt(slots, { ...few, fromSlot: 100 })
    await attempt(slots, few)
    slots.forget()
    await attempt(slots, few)
    expect(node.asked().filter((question) => question === 'block 101')).to.have.length(4)
  })
})

describe('a range of listed slots that failed', () => {
  const limits = { head: 200, blockCountMax: 6, pools: ['pool-1', 'pool-2'] }
  const openSlots = (node: ReturnType<typeof createNode>) =>
    createListedSlots({ reader: node.reader, logger, subscribe: async () => {} })

  it('is read on where it failed, if the node still has the branch', async () => {
    const node = createNode()
    const slots = openSlots(node)
    node.failOnceAt('block 104')
    expect(await attempt(slots, limits)).to.include({ code: 'node_unreachable' })
    node.asked()
    expect(await attempt(slots, { ...limits, head: 210, blockCountMax: 6 })).to.have.length(6)
    expect(node.asked()).to.deep.equal(['block 210', 'block 200', 'slots', 'block 104', 'block 210'])
  })

  it('is read with what it holds of fewer slots', async () => {
    const node = createNode()
    const slots = openSlots(node)
    node.failOnceAt('pool-2 101-106')
    await attempt(slots, limits)
    node.asked()
    expect(await attempt(slots, { ...limits, blockCountMax: 3 })).to.have.length(3)
    expect(node.asked()).to.deep.equal([
      'block 200',
      'block 200',
      'slots',
      'pool-2 101-103',
      ...blocks(101, 103),
      'block 200',
    ])
  })

  it('is read anew when the node left the branch', async () => {
    const node = createNode()
    const slots = openSlots(node)
    node.failOnceAt('block 104')
    await attempt(slots, limits)
    node.asked()
    node.replace()
    await attempt(slots, limits)
    const asked = node.asked()
    expect(asked).to.include.members(['program 101-106', 'pool-1 101-106', ...blocks(101, 106)])
  })

  it('costs no look at the branch while there is nothing new', async () => {
    const node = createNode()
    const slots = openSlots({ ...node, reader: { ...node.reader, listOf: async () => [] } })
    for (let poll = 0; poll < 2; poll++) expect(await attempt(slots, { ...limits, head: 110 })).to.deep.equal([])
    expect(node.asked()).to.deep.equal(['block 110', 'slots', 'block 110', 'slots'])
  })
})

describe('curves that are looked for', () => {
  it('are looked for again only where the node failed', async () => {
    const node = createNode()
    const mints = [2, 3, 4].map((number) => `${'1'.repeat(31)}${number}`)
    const seen: string[] = []
    const find = createCurveFinder({
      ...node.reader,
      oldestOf: async (curve) => {
        seen.push(curve)
        if (seen.length === 2) throw away()
        return null
      },
    })
    expect(await find(mints, never).catch((error: unknown) => error)).to.include({ code: 'node_unreachable' })
    expect([...(await find(mints, never)).keys()]).to.have.members(mints)
    expect(seen).to.have.length(4)
    expect(new Set(seen)).to.have.length(3)
    await find(mints.slice(0, 1), never)
    expect(seen).to.have.length(5)
  })
})
