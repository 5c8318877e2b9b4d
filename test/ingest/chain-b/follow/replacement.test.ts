import { expect } from 'chai'
import { pino } from 'pino'
import { viewed } from '../../../../infra/codec/avro/viewed-bytes.ts'
import type { EventTransaction } from '../../../../ingest/chain-b/follow/read-events.ts'
import { createRpcSource } from '../../../../ingest/chain-b/follow/rpc-source.ts'
import type { ChainBReader } from '../../../../ingest/chain-b/node/reader.ts'
import { nobodyCalled } from '../../../../ingest/followed-tokens.ts'
import { encodeEvent, signatureOf } from '../../../support/chain-b/encode-events.ts'
import { buildBlock, hashOf, read } from './build.ts'

const somebody = signatureKey(1)
const pool = signatureKey(2)

/** Returns a made-up address. Each number gives a different address. */
function signatureKey(number: number): string {
  return `${'1'.repeat(31)}${number + 1}`
}

const migration: EventTransaction = {
  ...read(signatureOf(1), 0),
  events: [
    {
      program: 'pump',
      payload: viewed(
        encodeEvent('CompletePumpAmmMigrationEvent', [
          ...[somebody, somebody].map((key) => ({ key })),
          ...[1n, 1n, 1n].map((u64) => ({ u64 })),
          { key: somebody },
          { i64: 1n },
          { key: pool },
        ]),
      ),
    },
  ],
}

describe('the slots that replace a branch', () => {
  it('are read with the pools that open in those before them, of which the book knows nothing yet', async () => {
    const asked: (readonly string[])[] = []
    const stop = new AbortController()
    const source = createRpcSource({
      reader: {
        headSlot: async () => 110,
        block: async (slot: number) => buildBlock(slot),
      } as Partial<ChainBReader> as ChainBReader,
      slots: {
        blockCountMax: 1,
        run: async () => {},
        forget: () => {},
        read: async ({ fromSlot }, poolsOf) => {
          const transactions = fromSlot === 100 ? [migration] : []
          asked[fromSlot] = poolsOf(transactions)
          return [{ block: buildBlock(fromSlot), transactions }]
        },
      },
      findCurves: async () => new Map(),
      ...{ lookBackSlots: 0, pollMs: 1, logger: pino({ level: 'silent' }), delay: async () => {} },
    })
    const last = { number: 102, hash: hashOf(102, 1), atMs: 0 }
    const blocks = [{ number: 99, hash: hashOf(99), atMs: 0 }, last]
    const known = {
      book: { mints: new Map(), pools: new Map(), followed: nobodyCalled },
      blocksFrom: async () => blocks,
    } as unknown as Parameters<typeof source.ranges>[1]
    const { value } = await source.ranges(last, known, stop.signal)[Symbol.asyncIterator]().next()
    stop.abort()
    expect(value).to.deep.include({ revertedFrom: 100, fromBlock: 100 })
    expect(value.head).to.deep.include({ number: 102, hash: hashOf(102) })
    expect([100, 101, 102].map((slot) => asked[slot])).to.deep.equal([[pool], [pool], [pool]])
  })
})
