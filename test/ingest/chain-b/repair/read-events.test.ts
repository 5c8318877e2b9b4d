import { expect } from 'chai'
import { hexOfBase58 } from '../../../../infra/base58.ts'
import type { NodeTransaction } from '../../../../ingest/chain-b/node/reader.ts'
import type { OpenGap } from '../../../../ingest/chain-b/repair/gap.ts'
import { createCurveOf, createEventReader } from '../../../../ingest/chain-b/repair/read-events.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { nodeOf, stretchOf, type Tape, tapes } from './recorded-source.ts'

const never = new AbortController().signal
const tape: Tape = stretchOf(tapes[0] ?? expect.fail('no tape'), 0, 20)
const mint = hexOfBase58(tape.key, 32) as Hex
const none = { quoteRaw: 0n, tokenRaw: 0n }

function gapFrom(fromSlot: number, toSlot: number): OpenGap {
  const place = { blockNumber: toSlot, blockAtMs: 0, txIndex: 0, logIndex: 0, blockHash: '0x', txHash: '0x' } as const
  return { key: tape.key, place, isFollowed: true, fromSlot, toSlot, from: none, to: none }
}

/** Reads the events in the slots of a gap, with changed transactions from the node. */
const read = (change: (transactions: readonly NodeTransaction[]) => readonly unknown[]) => {
  const { transactionsOf } = nodeOf(tape, true)
  const changed = async (...asked: Parameters<typeof transactionsOf>) =>
    change(await transactionsOf(...asked)) as readonly NodeTransaction[]
  const slots = tape.transactions.map(({ slot }) => slot)
  const gap = gapFrom(slots[3] ?? 0, slots.at(-3) ?? 0)
  return createEventReader({ transactionsOf: changed }, async () => tape.curve)(gap, never)
}

const failureOf = async (reading: Promise<unknown>): Promise<unknown> => {
  const error = await reading.catch((reason: unknown) => reason)
  return error instanceof Error && 'code' in error ? [error.code, error.message] : error
}

describe('the events of a curve in some slots', () => {
  it('are all of the mint in these slots, with when they happened', async () => {
    const events = await read((all) => all)
    const slots = tape.transactions.map(({ slot }) => slot)
    const inside = tape.transactions.filter(({ slot }) => slot >= (slots[3] ?? 0) && slot <= (slots.at(-3) ?? 0))
    const expected = inside.flatMap(({ facts }) => facts.map(({ fact: { data } }) => [data.txHash, data.blockAtMs]))
    expect(events.map(({ data }) => [data.txHash, data.blockAtMs])).to.deep.equal(expected)
  })

  it('are none of transactions that failed, and none of other mints', async () => {
    const failed = (all: readonly NodeTransaction[]) =>
      all.map((each) => ({
        ...each,
        wire: { ...each.wire, meta: { ...each.wire.meta, err: { InstructionError: [] } } },
      }))
    expect(await read(failed)).to.deep.equal([])
    const other = createEventReader(nodeOf(tape), async () => tape.curve)
    expect(await other({ ...gapFrom(0, 1e12), key: tapes[1]?.key ?? '' }, never)).to.deep.equal([])
  })

  it('are read from the logs where the node has no inner instructions', async () => {
    const withoutInner = (all: readonly NodeTransaction[]) =>
      all.map((each) => ({ ...each, wire: { ...each.wire, meta: { ...each.wire.meta, innerInstructions: null } } }))
    expect(await read(withoutInner)).to.deep.equal(await read((all) => all))
  })

  it('are not told if a transaction cannot be read: it would seem that nothing is missing in it', async () => {
    const cut = (all: readonly NodeTransaction[]) =>
      all.map((each) => ({ ...each, wire: { ...each.wire, meta: null } }))
    expect(await failureOf(read(cut))).to.deep.equal([
      'node_inconsistent',
      'the node sent a transaction that cannot be read: unreadable',
    ])
  })
})

describe('the curve of a mint', () => {
  it('is that of the address book, and is derived where the book does not have it', async () => {
    const curve: Hex = `0x${'12'.repeat(32)}`
    const entry = { mint, curve, sinceSlot: 1, seenAtMs: 1, launchSlot: null, launchAtMs: null }
    expect(hexOfBase58(await createCurveOf({ mints: new Map([[mint, entry]]) })(tape.key), 32)).to.equal(curve)
    expect(await createCurveOf({ mints: new Map() })(tape.key)).to.equal(tape.curve)
  })
})
