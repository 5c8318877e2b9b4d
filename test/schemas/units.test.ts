/**
 * The compiler checks units and identities. Each `@ts-expect-error` is before a swap that must not compile, and `tsc` fails if it does.
 * A flavor does not exist at run time, so the swapped calls still run.
 */
import { expect } from 'chai'
import type { z } from 'zod'
import { minutesBetween } from '../../api/durations.ts'
import { dataAgeMs } from '../../api/sale/freshness.ts'
import { createRangeAddresses } from '../../ingest/chain-a/decode/range-addresses.ts'
import { slotAtMs } from '../../ingest/chain-b/simulated/slots.ts'
import { isCheck, nextCheckOf } from '../../processors/chain-a/liquidity/checks.ts'
import { endOf } from '../../processors/chain-a/outcomes/outcome.ts'
import { watchEndMs } from '../../processors/desk/calls.ts'
import { nextTwinAtMs } from '../../processors/desk/twin.ts'
import { priceAt } from '../../processors/markets/markets.ts'
import { isCanonical } from '../../processors/runtime/restatement/canonical-facts.ts'
import { lastTicksAt, passedAt } from '../../projections/at-cut.ts'
import { type AvroValue, arrayOf, hex, integer, nullable, recordOf } from '../../schemas/avro.ts'
import { forgottenAtMs } from '../../schemas/calls/following.ts'
import type { Swap } from '../../schemas/chain-a/facts.ts'
import { weiOf } from '../../schemas/chain-a/numbers.ts'
import { buyFromPool, type PoolDepth, sellToPool } from '../../schemas/chain-a/pool-fill.ts'
import { poolLifeMs } from '../../schemas/chain-a/pool-life.ts'
import { costOfTokens, launchReserves, tokensForCost } from '../../schemas/chain-b/curve.ts'
import { afterPoolTrade } from '../../schemas/chain-b/pool.ts'
import { address, epochMs, wei } from '../../schemas/flavors.ts'
import { duration, part, type ValuesOf } from '../../schemas/rule-values.ts'
import { defaultRules } from '../../schemas/rules.ts'
import { type BlockFields, chainBlocks } from '../../schemas/stage.ts'
import type {
  Address,
  BlockHash,
  BlockNumber,
  DurationMs,
  EpochMs,
  Hex,
  Lamports,
  MarketId,
  PoolId,
  PositionId,
  TokenRaw,
  TxHash,
  Wei,
} from '../../schemas/units.ts'
import { buildMarkets, onePool } from '../support/builders/build-markets.ts'

const atMs: EpochMs = 1_700_000_000_000
const lengthMs: DurationMs = 60_000
const block: BlockNumber = 400
const wallet: Address = '0xaa'
const pool: PoolId = onePool
const txHash: TxHash = '0xcc'
const blockHash: BlockHash = '0xdd'
const positionId: PositionId = '0xee'
const paidWei: Wei = 10n ** 18n
const paidLamports: Lamports = 10n ** 9n
const boughtRaw: TokenRaw = 10n ** 15n

describe('an instant', () => {
  it('is no duration, and a duration is no instant', () => {
    expect(minutesBetween(atMs, atMs + lengthMs)).to.equal(1)
    // @ts-expect-error A duration is no instant.
    minutesBetween(lengthMs, atMs)
    expect(forgottenAtMs(atMs, [])).to.equal(atMs)
    // @ts-expect-error The life of a pool is no instant.
    forgottenAtMs(poolLifeMs, [])
    expect(dataAgeMs({ atMs, blockAtMs: atMs }, atMs + lengthMs)).to.equal(lengthMs)
    // @ts-expect-error The clock is an instant.
    dataAgeMs({ atMs, blockAtMs: atMs }, lengthMs)
    expect(nextTwinAtMs('0xaa', atMs, lengthMs)).to.be.above(atMs)
    // @ts-expect-error Instant and slot are swapped.
    nextTwinAtMs('0xaa', lengthMs, lengthMs)
    expect(priceAt(buildMarkets([]), pool, atMs)).to.equal(null)
    // @ts-expect-error A price is that of an instant.
    priceAt(buildMarkets([]), pool, lengthMs)
  })

  it('is no duration in the text of a query', () => {
    expect(lastTicksAt(['chain-a-facts'], atMs, lengthMs)).to.include(`known_at_ms > ${atMs - lengthMs}`)
    // @ts-expect-error The third parameter says how far back.
    lastTicksAt(['chain-a-facts'], atMs, atMs)
    expect(passedAt('chain-a-facts', { atMs, sinceMs: atMs })).to.include(`known_at_ms > ${atMs}`)
    // @ts-expect-error `sinceMs` is an instant.
    passedAt('chain-a-facts', { atMs, sinceMs: lengthMs })
  })

  it('is no number of a block', () => {
    expect(isCanonical([{ revertedFrom: 300, fromOffset: 1 }], 0, block)).to.equal(false)
    // @ts-expect-error A block is named by its number.
    isCanonical([{ revertedFrom: 300, fromOffset: 1 }], 0, atMs)
    expect(slotAtMs(block)).to.be.above(0)
    // @ts-expect-error A slot is no instant.
    slotAtMs(atMs)
    const read = chainBlocks.blockOf({ data: { blockNumber: block, blockHash, blockAtMs: atMs } })
    expect(read).to.deep.equal({ number: block, hash: blockHash, atMs })
    // @ts-expect-error Number and time are swapped.
    const swapped: BlockFields = { blockNumber: atMs, blockHash, blockAtMs: atMs }
    expect(swapped.blockNumber).to.equal(atMs)
  })

  it('is what a rule adds a duration of its part to', () => {
    const { checkEveryMs } = defaultRules.chainA.liquidity
    const liquidity = { ...defaultRules.chainA.liquidity, checkedMsMax: 2 * checkEveryMs }
    expect(nextCheckOf(atMs, atMs, liquidity)).to.equal(atMs + checkEveryMs)
    // @ts-expect-error The pool was created at an instant.
    nextCheckOf(checkEveryMs, atMs, liquidity)
    expect(isCheck(atMs, atMs + checkEveryMs, liquidity)).to.equal(true)
    // @ts-expect-error An age is no instant.
    isCheck(atMs, checkEveryMs, liquidity)
    expect(watchEndMs({ fromMs: atMs, chats: [] }, { watchMs: lengthMs })).to.equal(atMs + lengthMs)
    // @ts-expect-error The length of a watch is no instant.
    watchEndMs({ fromMs: atMs, chats: [] }, { watchMs: atMs })
    // @ts-expect-error Nor is the length of an outcome.
    expect(() => endOf({} as never, { ...defaultRules.chainA.outcomes, lengthMs: atMs })).to.throw()
  })
})

describe('an identity', () => {
  it('of a pool is no wallet, transaction or position', () => {
    const market = (value: MarketId) => priceAt(buildMarkets([]), value, atMs)
    // A market is a pool or a curve. A curve is identified by an address, so an address is accepted.
    expect([market(pool), market(wallet)]).to.deep.equal([null, null])
    // @ts-expect-error A transaction is no market.
    market(txHash)
    const book = createRangeAddresses({
      pools: new Map(),
      positions: new Map(),
      curves: new Map(),
      followed: new Map(),
    } as never)
    expect(book.poolOfPosition(positionId)).to.equal(undefined)
    // @ts-expect-error A pool is no position.
    book.poolOfPosition(pool)
    // @ts-expect-error A pool of chain A is no curve.
    book.decodedBlockOf(pool)
    // @ts-expect-error Hashes of a block and of a transaction are swapped.
    const swapped: BlockFields = { blockNumber: block, blockHash: txHash, blockAtMs: atMs }
    expect(swapped.blockHash).to.equal(txHash)
  })

  it('is bytes as text: a template, a literal and plain hex fit each', () => {
    const sender: Address = `0x${Buffer.from([1, 2]).toString('hex')}` as const
    const plain: Hex = sender
    const told: PoolId = plain
    expect(told).to.equal('0x0102')
  })
})

describe('an amount', () => {
  const depth: PoolDepth = {
    ...{ sqrtPriceX96: 2n ** 96n, liquidity: 10n ** 21n, tick: 0, tickSpacing: 60 },
    ...{ ethIsCurrency0: true, feeMillionths: 0 },
  }

  it('of wei is none of lamports or token units', () => {
    expect(buyFromPool(depth, paidWei).received).to.equal(sellToPool(depth, 10n ** 18n).received)
    // @ts-expect-error Lamports for wei.
    buyFromPool(depth, paidLamports)
    // @ts-expect-error A buyer pays in ETH.
    buyFromPool(depth, boughtRaw)
    // @ts-expect-error A seller pays in tokens.
    sellToPool(depth, paidWei)
    expect(weiOf(1)).to.equal(paidWei)
    // @ts-expect-error Wei for lamports.
    const swapped: Lamports = weiOf(1)
    expect(swapped).to.equal(paidWei)
  })

  it('of what a curve trades against may be lamports, and is none of tokens', () => {
    const tokens = tokensForCost(launchReserves, paidLamports)
    expect(costOfTokens(launchReserves, tokens) <= paidLamports).to.equal(true)
    // @ts-expect-error Lamports for tokens.
    costOfTokens(launchReserves, paidLamports)
    // @ts-expect-error Tokens for lamports.
    tokensForCost(launchReserves, tokens)
    // @ts-expect-error Wei for lamports.
    tokensForCost(launchReserves, paidWei)
    // @ts-expect-error The fee of the providers is not in tokens.
    afterPoolTrade(launchReserves, { quoteRaw: paidLamports, tokenRaw: tokens, lpFeeRaw: tokens })
  })
})

describe('a flavor', () => {
  const record = recordOf('Flavored', [
    { name: 'wallets', type: arrayOf(address) },
    { name: 'atMs', type: nullable(epochMs) },
    { name: 'paidWei', type: wei },
  ])

  it('leaves a schema as it was', () => {
    expect([epochMs, address, wei]).to.deep.equal(['long', hex, integer])
    expect(record.fields.map(({ type }) => type)).to.deep.equal([
      { type: 'array', items: hex },
      ['null', 'long'],
      integer,
    ])
  })

  it('comes out of a schema, and survives Readonly, Partial, a spread and a generic', () => {
    type Flavored = AvroValue<typeof record>
    const value: Flavored = { wallets: ['0xaa'], atMs: 5, paidWei: 1n }
    // @ts-expect-error The time of the record.
    const instant: DurationMs | null = value.atMs
    // @ts-expect-error The time of a spread.
    const spread: DurationMs | null = { ...value, other: 1 }.atMs
    // @ts-expect-error The time of a frozen, partial record.
    const partial: DurationMs | null | undefined = ({ ...value } as Readonly<Partial<Flavored>>).atMs
    const poolOf = (id: PoolId): Hex => id
    // @ts-expect-error A wallet of the list.
    const listed = value.wallets.map(poolOf)
    const same = <Item>(item: Item): Item => item
    // @ts-expect-error The same through a generic.
    const picked = poolOf(same(wallet))
    // @ts-expect-error The pool of a swap.
    const swapped: Address = ({ pool } as Swap).pool
    expect([instant, spread, partial]).to.deep.equal([5, 5, 5])
    expect([...listed, picked, swapped]).to.deep.equal([wallet, wallet, pool])
  })

  it('comes out of the rules that zod reads', () => {
    const rules = part({ windowMs: duration(1000, [0, 2000], 'a window') })
    const parsed: z.output<typeof rules> = rules.parse({ windowMs: 500 })
    const values: ValuesOf<typeof rules> = parsed
    // @ts-expect-error A window is no instant.
    const instants: readonly EpochMs[] = [parsed.windowMs]
    // @ts-expect-error Nor is it one in the default rules.
    const ofDefault: EpochMs = defaultRules.chainA.bursts.windowMs
    expect([...instants, ofDefault, values.windowMs]).to.deep.equal([500, 60_000, 500])
    expect(() => rules.parse({ windowMs: 2001 })).to.throw()
  })

  it('is nothing in JSON', () => {
    expect(JSON.parse(JSON.stringify({ atMs, wallet }))).to.deep.equal({ atMs: 1_700_000_000_000, wallet: '0xaa' })
  })

  it('leaves arithmetic and comparison free', () => {
    const sum: EpochMs = atMs + lengthMs
    const passed: DurationMs = sum - atMs
    const spent: Lamports = paidLamports - 1n
    expect([passed, spent, sum > atMs, Math.max(sum, atMs)]).to.deep.equal([lengthMs, paidLamports - 1n, true, sum])
    // @ts-expect-error An instant never equals a duration.
    expect(atMs === lengthMs).to.equal(false)
  })
})
