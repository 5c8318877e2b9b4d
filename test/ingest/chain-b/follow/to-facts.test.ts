import { base58 } from '@scure/base'
import { expect } from 'chai'
import { pino } from 'pino'
import { createAddressMaps } from '../../../../ingest/chain-b/address-maps.ts'
import type { CurveOrigin } from '../../../../ingest/chain-b/follow/find-curves.ts'
import { eventsIn } from '../../../../ingest/chain-b/follow/read-events.ts'
import type { LinkedSlot } from '../../../../ingest/chain-b/follow/slot-reader.ts'
import { toFacts } from '../../../../ingest/chain-b/follow/to-facts.ts'
import { createReserveChain } from '../../../../ingest/chain-b/reserves/reserve-chain.ts'
import {
  type EmittedEvent,
  encodeEvent,
  encodeTrade,
  signatureOf,
  transactionOf,
} from '../../../support/chain-b/encode-events.ts'
import { recordedTrades } from '../../../support/chain-b/fixtures.ts'
import { buildBlock } from './build.ts'

const keyOf = (byte: number) => base58.encode(Buffer.alloc(32, byte))
const [mint, curve, user, pool, other] = [7, 8, 9, 10, 11].map(keyOf) as [string, string, string, string, string]
const time = { i64: 1_790_000_000n }

const launch: EmittedEvent = {
  program: 'pump',
  payload: encodeEvent('CreateEvent', [
    ...[{ text: 'a name' }, { text: 'A' }, { text: 'a link' }, { key: mint }, { key: curve }, { key: user }],
    ...[{ key: user }, time, { u64: 1_073_000_000_000_000n }, { u64: 30_000_000_000n }],
    ...[{ u64: 793_100_000_000_000n }, { u64: 10n ** 15n }],
  ]),
}
const [recordedTrade] = recordedTrades()
const tradeOf = (key: string): EmittedEvent => ({
  program: 'pump',
  payload: encodeTrade({ ...(recordedTrade ?? expect.fail('there are no trades')), mint: key }),
})
const complete: EmittedEvent = {
  program: 'pump',
  payload: encodeEvent('CompleteEvent', [{ key: user }, { key: mint }, { key: curve }, time]),
}
const migration: EmittedEvent = {
  program: 'pump',
  payload: encodeEvent('CompletePumpAmmMigrationEvent', [
    ...[{ key: user }, { key: mint }, { u64: 206_900_000_000_000n }, { u64: 84_000_000_000n }, { u64: 15_000_001n }],
    ...[{ key: curve }, time, { key: pool }],
  ]),
}

/** Returns a slot with one transaction for each list of events. */
function slotOf(number: number, transactions: readonly (readonly EmittedEvent[])[]): LinkedSlot {
  const read = transactions.map((events, index) => {
    const signature = signatureOf(number * 100 + index)
    const found = eventsIn({ signature, slot: number, index, wire: transactionOf(events, signature) })
    return found.kind === 'read' ? found.transaction : expect.fail(`the transaction is ${found.kind}`)
  })
  return { block: buildBlock(number, { atMs: 1_790_000_000_000 + number * 400 }), transactions: read }
}

/**
 * Converts the slots, for a log that has no mint. Returns the facts, the new entries of the address book and
 * the mints whose curves were looked up.
 */
async function told(slots: readonly LinkedSlot[]) {
  const asked: (readonly string[])[] = []
  const range = await toFacts(slots, {
    ...{ known: createAddressMaps().known, fromSlot: slots[0]?.block.number ?? 0, chain: createReserveChain() },
    findCurves: async (mints) => {
      asked.push(mints)
      const origin: CurveOrigin = { curve: '0xc', creator: null, supplyRaw: null, launchSlot: null, launchAtMs: null }
      return new Map(mints.map((each) => [each, origin]))
    },
    ...{ logger: pino({ level: 'silent' }), signal: new AbortController().signal },
  })
  const facts = range.facts.map(
    ({ key, fact }) => `${fact.data.blockNumber} ${fact.type}${key === mint ? '' : ` ${key}`}`,
  )
  return { facts, addresses: range.newAddresses.map(({ type }) => type), asked }
}

describe('the facts of slots of chain B', () => {
  it('are those of a mint from its launch on, and nobody is asked about it', async () => {
    expect(await told([slotOf(100, [[launch, tradeOf(mint)]]), slotOf(101, [[tradeOf(mint)]])])).to.deep.include({
      addresses: ['MintAddress'],
      asked: [],
    })
  })

  it('begin with what the node says of the curve at the first trade of an unknown mint', async () => {
    expect(await told([slotOf(100, [[tradeOf(mint)]])])).to.deep.equal({
      facts: ['100 CurveFound', '100 CurveTraded'],
      addresses: ['MintAddress'],
      asked: [[mint]],
    })
  })

  it('ask about each unknown mint once', async () => {
    const slots = [slotOf(100, [[tradeOf(mint)], [tradeOf(other)]]), slotOf(101, [[tradeOf(mint)]])]
    const { facts, asked } = await told(slots)
    expect(asked).to.deep.equal([[mint, other]])
    expect(facts.filter((fact) => fact.includes('CurveFound'))).to.have.lengthOf(2)
  })

  it('are none of an unknown mint without a trade: its completion and migration do not count', async () => {
    for (const events of [[complete], [migration], [complete, migration]])
      expect(await told([slotOf(100, [events])])).to.deep.equal({ facts: [], addresses: [], asked: [] })
  })

  it('of an unknown mint leave out what comes before its first trade', async () => {
    const { facts, asked } = await told([slotOf(100, [[complete]]), slotOf(101, [[tradeOf(mint)]])])
    expect(facts).to.deep.equal(['101 CurveFound', '101 CurveTraded'])
    expect(asked).to.deep.equal([[mint]])
  })

  it('make known the pool of a mint that is launched, or traded in the same slot', async () => {
    for (const events of [[launch], [tradeOf(mint)]]) {
      const { facts, addresses } = await told([slotOf(100, [events, [migration]])])
      expect(facts.at(-1)).to.equal('100 CurveMigrated')
      expect(addresses).to.deep.equal(['MintAddress', 'GraduatedPoolAddress'])
    }
  })
})
