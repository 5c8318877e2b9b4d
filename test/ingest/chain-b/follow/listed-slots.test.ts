import { expect } from 'chai'
import { pino } from 'pino'
import { pumpProgram } from '../../../../ingest/chain-b/decode/programs.ts'
import { createListedSlots } from '../../../../ingest/chain-b/follow/listed-slots.ts'
import type { ChainBReader, ListedTransaction, NodeTransaction } from '../../../../ingest/chain-b/node/reader.ts'
import { encodeEvent, signatureOf, transactionOf } from '../../../support/chain-b/encode-events.ts'
import { buildBlock, hashOf, read, signaturesIn } from './build.ts'

const never = new AbortController().signal
const logger = pino({ level: 'silent' })
/** Returns a transaction with an unknown event of a known program. */
const wire = (number: number) =>
  transactionOf([{ program: 'pump', payload: encodeEvent('UnknownEvent', []) }], signatureOf(number))

const nodeTransaction = (number: number, slot: number): NodeTransaction => ({
  ...{ signature: signatureOf(number), slot, index: number },
  wire: wire(number),
})

/** Creates a node with the slots 101 to 110. The node notes its requests. */
function nodeWith(transactions: readonly NodeTransaction[], changes: Partial<ChainBReader> = {}) {
  const calls: string[] = []
  const inRange = (address: string, fromSlot: number, toSlot: number) =>
    address === pumpProgram ? transactions.filter(({ slot }) => slot >= fromSlot && slot <= toSlot) : []
  const reader = {
    slotsWithBlocks: async ({ fromSlot, toSlot }) =>
      Array.from({ length: toSlot - fromSlot + 1 }, (_, index) => fromSlot + index),
    block: async (slot) => buildBlock(slot),
    listOf: async (address, { fromSlot, toSlot }) =>
      inRange(address, fromSlot, toSlot).map(
        ({ signature, slot, index }): ListedTransaction => ({ signature, slot, index }),
      ),
    transactionsOf: async (address, { fromSlot, toSlot }) => {
      calls.push(`together ${fromSlot}-${toSlot}`)
      return inRange(address, fromSlot, toSlot)
    },
    transaction: async (signature) => {
      calls.push(signature)
      return transactions.find((each) => each.signature === signature) ?? null
    },
    ...changes,
  } as ChainBReader
  return { reader, calls }
}

type Sent = Readonly<{ number: number; slot: number }>

async function readSlots({
  reader,
  sent = [],
  head = 110,
}: Readonly<{ reader: ChainBReader; sent?: readonly Sent[]; head?: number }>) {
  const slots = createListedSlots({
    ...{ reader, logger },
    subscribe: async (held) => {
      for (const { number, slot } of sent) held.put({ slot, transaction: read(signatureOf(number), null) })
    },
  })
  await slots.run(never)
  return await slots.read({ fromSlot: 101, head, blockCountMax: 50 }, () => [], never)
}

describe('slots read by what is listed', () => {
  it('take what was sent, read what was not, and end before the newest that is listed', async () => {
    const { reader, calls } = nodeWith([nodeTransaction(1, 101), nodeTransaction(2, 101), nodeTransaction(3, 104)])
    const slots = await readSlots({ reader, sent: [{ number: 1, slot: 101 }] })
    expect(signaturesIn(slots)).to.deep.equal([
      [101, [signatureOf(1), signatureOf(2)]],
      [102, []],
      [103, []],
    ])
    expect(calls).to.deep.equal([signatureOf(2)])
  })

  it('have none while nothing later is listed', async () => {
    expect(await readSlots(nodeWith([nodeTransaction(1, 101)]))).to.deep.equal([])
  })

  it('take what was sent and is in the chain although it is not listed, and nothing else that is not', async () => {
    const node = nodeWith([nodeTransaction(9, 104)], {
      transaction: async (signature) => (signature === signatureOf(5) ? nodeTransaction(5, 102) : null),
    })
    const sent = [5, 6].map((number) => ({ number, slot: 102 }))
    expect(signaturesIn(await readSlots({ ...node, sent }))[1]).to.deep.equal([102, [signatureOf(5)]])
  })

  it('read many that are missing together', async () => {
    const many = Array.from({ length: 60 }, (_, number) => nodeTransaction(number, 102))
    const { reader, calls } = nodeWith([...many, nodeTransaction(99, 104)])
    expect((await readSlots({ reader }))[1]?.transactions).to.have.length(60)
    expect(calls).to.deep.equal(['together 102-102'])
  })

  it('read the past together, without a list before it', async () => {
    const node = nodeWith([nodeTransaction(1, 101)], { listOf: () => expect.fail('it is not asked for a list') })
    expect(await readSlots({ ...node, head: 200 })).to.have.length(50)
    expect(node.calls).to.deep.equal(['together 101-150'])
  })

  const contradictions: readonly (readonly [string, Partial<ChainBReader>])[] = [
    ['the node left its branch meanwhile', branchesAfter(2)],
    ['the node does not have what it listed', { transaction: async () => null }],
    ['the node has it in another slot', { transaction: async () => nodeTransaction(1, 102) }],
    ['a block is missing', { block: async (slot) => (slot === 102 ? null : buildBlock(slot)) }],
  ]
  for (const [name, changes] of contradictions)
    it(`are read again when ${name}`, async () => {
      const { reader } = nodeWith([nodeTransaction(1, 101), nodeTransaction(2, 104)], changes)
      expect(await readSlots({ reader }).catch((error: unknown) => error)).to.include({ code: 'node_inconsistent' })
    })
})

/** Returns changes to the node: from the `count`-th reading of slot 110 on, this block has another hash. */
function branchesAfter(count: number): Partial<ChainBReader> {
  let reads = 0
  return { block: async (slot) => buildBlock(slot, slot === 110 && ++reads >= count ? { hash: hashOf(slot, 1) } : {}) }
}
