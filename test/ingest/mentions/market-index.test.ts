import { expect } from 'chai'
import { hexOfBase58 } from '../../../infra/base58.ts'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createSchemaCodec, type SchemaCodec } from '../../../infra/codec/schema-codec.ts'
import type { Log } from '../../../infra/log/log.ts'
import { chainANaming } from '../../../ingest/chain-a/naming.ts'
import { chainBNaming } from '../../../ingest/chain-b/naming.ts'
import { createMarketIndex, type MarketIndex } from '../../../ingest/mentions/market-index.ts'
import type { TokenNaming } from '../../../ingest/mentions/naming.ts'
import type { StageRecord } from '../../../schemas/stage.ts'
import { topics } from '../../../schemas/topics.ts'
import type { Hex } from '../../../schemas/units.ts'
import { createHoledLog } from '../../support/log/holed-log.ts'
import { buildCurveAddress, buildPoolAddress, buildPositionAddress, poolOf, tokenOf } from '../build-range.ts'
import { mintOf } from './build-post.ts'

const a = chainANaming('robinhood') as TokenNaming
const b = chainBNaming as TokenNaming
const hexOf = (address: string): Hex => hexOfBase58(address, 32) ?? '0x'

describe('the index of markets', () => {
  let log: Log
  let codec: SchemaCodec<StageRecord>
  let book: MarketIndex

  beforeEach(async () => {
    log = createHoledLog({ nowMs: () => 0 })
    codec = await createSchemaCodec(topics.addresses, createMemoryRegistry())
    book = createMarketIndex({ log, codec, namings: [a, b] })
  })

  async function write(key: string, record: StageRecord | null) {
    const writer = await log.openWriter('books')
    const value = record && codec.encode(record.type, record.data)
    await writer.append([{ topic: 'addresses', partition: 0, key, value }])
    await book.readOn()
  }
  const pool = (name: number, token: number) => {
    const { type, data } = buildPoolAddress(token, 1)
    return write(poolOf(name), { type, data: { ...data, pool: poolOf(name) } })
  }
  const inA = () => book.knownOf(a)

  it('knows the pools and curves of chain A, and no positions', async () => {
    await pool(11, 1)
    await write(tokenOf(12), buildCurveAddress(12, 1))
    await write(poolOf(13), buildPositionAddress(13, 1))
    expect([
      inA().tokenOfMarket(poolOf(11)),
      inA().tokenOfMarket(tokenOf(12)),
      inA().tokenOfMarket(poolOf(13)),
    ]).to.deep.equal([tokenOf(1), tokenOf(12), null])
  })

  it('knows the curves and pools of chain B in base58', async () => {
    const curve = {
      mint: hexOf(mintOf(1)),
      curve: hexOf(mintOf(2)),
      sinceSlot: 1,
      seenAtMs: 1,
      launchSlot: null,
      launchAtMs: null,
    }
    await write(`chain-b/${curve.mint}`, { type: 'MintAddress', data: curve })
    const graduated = {
      pool: hexOf(mintOf(3)),
      mint: hexOf(mintOf(4)),
      quoteMint: null,
      migratedSlot: 1,
      migratedAtMs: 1,
    }
    await write(`chain-b/${graduated.pool}`, { type: 'GraduatedPoolAddress', data: graduated })
    const known = book.knownOf(b)
    expect([known.tokenOfMarket(mintOf(2)), known.tokenOfMarket(mintOf(3))]).to.deep.equal([mintOf(1), mintOf(4)])
    expect([1, 2, 3, 4].map((name) => known.isToken(mintOf(name)))).to.deep.equal([true, false, false, true])
  })

  it('knows a token until the last of its markets is removed', async () => {
    await pool(11, 1)
    await pool(12, 1)
    await write(poolOf(11), null)
    expect([inA().tokenOfMarket(poolOf(11)), inA().isToken(tokenOf(1))]).to.deep.equal([null, true])
    await write(poolOf(12), null)
    expect(inA().isToken(tokenOf(1))).to.equal(false)
  })

  it('counts a market once that is written again', async () => {
    await pool(11, 1)
    await pool(11, 1)
    await write(poolOf(11), null)
    expect(inA().isToken(tokenOf(1))).to.equal(false)
  })

  it('forgets the token that a market had before', async () => {
    await pool(11, 1)
    await pool(11, 2)
    expect([inA().isToken(tokenOf(1)), inA().tokenOfMarket(poolOf(11))]).to.deep.equal([false, tokenOf(2)])
  })

  it('does not mind the removal of what it never had', async () => {
    await write(poolOf(99), null)
    expect(inA().tokenOfMarket(poolOf(99))).to.equal(null)
  })
})
