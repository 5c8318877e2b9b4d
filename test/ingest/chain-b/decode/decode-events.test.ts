import { expect } from 'chai'
import { base58OfHex, hexOfBase58 } from '../../../../infra/base58.ts'
import type { DecodedTransaction, KeyedEvent } from '../../../../ingest/chain-b/decode/decode-transaction.ts'
import type { Hex } from '../../../../schemas/units.ts'
import {
  type EmittedEvent,
  encodeEvent,
  encodeNewestTrade,
  type Value,
} from '../../../support/chain-b/encode-events.ts'
import { type RecordedEvent, recordedEvents, recordedTrades } from '../../../support/chain-b/fixtures.ts'
import { decode, emittedOf, recorded } from './recorded.ts'

const only = ({ facts, refusals }: DecodedTransaction): KeyedEvent => {
  expect(refusals).to.deep.equal([])
  expect(facts).to.have.lengthOf(1)
  return facts[0]!
}

const hexOf = (address: string) => hexOfBase58(address, 32) as Hex

describe('a fact of a trade on a curve', () => {
  it('has real reserves also where the first version did not say them', () => {
    const { fact } = only(decode([emittedOf(recorded('TradeEvent', 113))]))
    expect(fact.data).to.deep.include({
      realQuoteRaw: 86_219_287n,
      realTokenRaw: 790_025_061_124_360n,
      quoteRaw: -2_807_820_424n,
      tokenRaw: -91_328_321_657_237n,
      feeRaw: 0n,
    })
  })

  for (const event of recordedEvents().filter((its) => its.event === 'TradeEvent'))
    it(`is that of a recorded event with ${event.fieldCount} fields: key, trader, signs, reserves and fees`, () => {
      const its = event.decoded as Readonly<Record<string, string>>
      const { key, fact } = only(decode([emittedOf(event)]))
      expect(key).to.equal(its.mint)
      expect(fact.data).to.deep.include(expectedTrade(event))
      if ('real_token_reserves' in its) expect(fact.data).to.include({ realTokenRaw: BigInt(its.real_token_reserves!) })
    })
})

describe('a fact of a trade of the newest layout', () => {
  it('has cashback and rewards of holders as one', () => {
    const payload = encodeNewestTrade(recordedTrades()[0]!, { cashback: 30n, holderRewards: 12n })
    expect(payload).to.have.lengthOf(382)
    const { fact } = only(decode([{ program: 'pump', payload }]))
    expect(fact.data).to.deep.include({ quoteRaw: 380_000_069n, rewardsRaw: 42n, quoteMint: null, isMayhem: false })
  })
})

/**
 * Returns the values that the decoded trade must have. In a trade against a coin other than SOL, the amounts
 * are in other fields.
 */
function expectedTrade({ decoded }: RecordedEvent) {
  const its = decoded as Readonly<Record<string, string>>
  const of = (name: string) => BigInt(its[name] ?? 0)
  const { quote_mint = '1'.repeat(32) } = its
  const isSol = quote_mint === '1'.repeat(32)
  const sign = decoded.is_buy === true ? 1n : -1n
  return {
    trader: hexOf(its.user!),
    quoteRaw: sign * of(isSol ? 'sol_amount' : 'quote_amount'),
    tokenRaw: sign * of('token_amount'),
    virtualQuoteRaw: of(isSol ? 'virtual_sol_reserves' : 'virtual_quote_reserves'),
    virtualTokenRaw: of('virtual_token_reserves'),
    feeRaw: of('fee'),
    creatorFeeRaw: of('creator_fee'),
    rewardsRaw: of('cashback') + of('holder_rewards'),
    isMayhem: decoded.mayhem_mode === true,
    quoteMint: isSol ? null : hexOf(quote_mint),
    blockAtMs: Number(its.timestamp) * 1000,
  }
}

describe('a fact of a launch', () => {
  it('has the terms that every curve had where the first version did not say them', () => {
    const { key, fact } = only(decode([emittedOf(recorded('CreateEvent', 201))], undefined, 1_724_128_600_000))
    expect(key).to.equal('ER2N5eaDoC68kNhj7LyaScimzq7deaqxiw88rewvxaKp')
    if (fact.type !== 'CurveLaunched') expect.fail(fact.type)
    expect(fact.data.creator).to.equal(fact.data.launcher)
    expect(base58OfHex(fact.data.curve)).to.equal('FFzxakVNzpirwMFtLyD22UZ6UM3KLF2EAGC2RxNPaYoH')
    expect(fact.data).to.deep.include({
      supplyRaw: 1_000_000_000_000_000n,
      virtualQuoteRaw: 30_000_000_000n,
      virtualTokenRaw: 1_073_000_000_000_000n,
      realQuoteRaw: 0n,
      realTokenRaw: 793_100_000_000_000n,
      quoteMint: null,
      isMayhem: false,
    })
  })

  it('is that of every recorded event of a launch', () => {
    for (const event of recordedEvents().filter((its) => its.event === 'CreateEvent')) {
      const its = event.decoded as Readonly<Record<string, string>>
      const { key, fact } = only(decode([emittedOf(event)], undefined, 1_724_128_600_000))
      expect(key).to.equal(its.mint)
      expect(fact.data).to.deep.include({
        name: its.name,
        symbol: its.symbol,
        curve: hexOf(its.bonding_curve!),
        launcher: hexOf(its.user!),
        creator: hexOf(its.creator ?? its.user!),
      })
    }
  })
})

/** A launch against another coin has other reserves than a launch against SOL. */
describe('a launch against another coin', () => {
  it('begins with the reserve of that coin', () => {
    const usdc = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
    const who = { key: 'Ce6TQqeHC9p8KetsN6JsjHK7UTZk7nasjjnr7XxXp9F1' }
    const texts: readonly Value[] = [{ text: 'Näme' }, { text: 'NM' }, { text: 'https://example.org' }]
    const terms = [1_073_000_000_000_000n, 0n, 793_100_000_000_000n, 10n ** 15n].map((u64) => ({ u64 }))
    const values = [
      ...texts,
      who,
      who,
      who,
      who,
      { i64: 1_785_000_000n },
      ...terms,
      who,
      { bool: true },
      { bool: false },
    ]
    const payload = encodeEvent('CreateEvent', [...values, { key: usdc }, { u64: 9_770_000_000n }])
    const { fact } = only(decode([{ program: 'pump', payload }]))
    expect(fact.data).to.deep.include({
      name: 'Näme',
      virtualQuoteRaw: 9_770_000_000n,
      quoteMint: hexOf(usdc),
      isMayhem: true,
    })
  })
})

describe('a graduation', () => {
  const migration = emittedOf(recorded('CompletePumpAmmMigrationEvent'))
  const { mint, pool } = recorded('CompletePumpAmmMigrationEvent').decoded as Readonly<Record<string, string>>
  const someone = { key: 'Ce6TQqeHC9p8KetsN6JsjHK7UTZk7nasjjnr7XxXp9F1' }

  it('is completed, then migrated into its pool', () => {
    const complete = recorded('CompleteEvent')
    const completed = only(decode([emittedOf(complete)]))
    expect(completed.fact.type).to.equal('CurveCompleted')
    expect([completed.key, completed.fact.data.blockAtMs]).to.deep.equal([complete.decoded.mint, 1_741_692_572_000])
    const { key, fact } = only(decode([migration]))
    expect(key).to.equal(mint)
    expect(fact.data).to.deep.include({
      pool: hexOf(pool!),
      poolQuoteRaw: 84_990_359_301n,
      poolTokenRaw: 206_900_000_000_000n,
      migrationFeeRaw: 15_000_001n,
      quoteMint: null,
      blockAtMs: 1_790_784_420_000,
    })
  })

  const poolCreated = (its: Readonly<{ pool: string; base: bigint; quote: bigint }>): EmittedEvent => ({
    program: 'pump-swap',
    payload: encodeEvent('CreatePoolEvent', [
      { i64: 1_790_784_420n },
      { u16: 0 },
      ...[someone, { key: mint! }, { key: 'So11111111111111111111111111111111111111112' }],
      ...[{ u8: 6 }, { u8: 9 }],
      ...[its.base, its.quote, its.base, its.quote, 100n, 1n, 1n].map((u64) => ({ u64 })),
      { u8: 254 },
      ...[{ key: its.pool }, someone, someone, someone],
    ]),
  })

  it('opens its pool with what the pool says', () => {
    const created = poolCreated({ pool: pool!, base: 200_000_000_000_000n, quote: 90_000_000_000n })
    const { facts } = decode([created, migration])
    expect(facts).to.have.lengthOf(1)
    expect(facts[0]?.fact.data).to.deep.include({
      poolQuoteRaw: 90_000_000_000n,
      poolTokenRaw: 200_000_000_000_000n,
      logIndex: 1,
    })
  })

  it('does not open with what another pool says', () => {
    const created = poolCreated({ pool: someone.key, base: 1n, quote: 1n })
    const { facts } = decode([created, migration])
    expect(facts[0]?.fact.data).to.deep.include({ poolQuoteRaw: 84_990_359_301n })
  })

  it('makes trades in its pool count from then on, also within its transaction', () => {
    const recordedBuy = recorded('BuyEvent', 481)
    const payload = Buffer.from(recordedBuy.payload, 'base64')
    Buffer.from(hexOf(pool!).slice(2), 'hex').copy(payload, 120)
    const buy: EmittedEvent = { program: 'pump-swap', payload }
    expect(decode([buy, migration]).facts.map(({ fact }) => fact.type)).to.deep.equal(['CurveMigrated'])
    const { facts } = decode([migration, buy])
    expect(facts.map(({ key, fact }) => [key, fact.type])).to.deep.equal([
      [mint, 'CurveMigrated'],
      [mint, 'PoolTraded'],
    ])
  })

  it('may be preceded by the rest of the buy that completed the curve, at the price of the pool to come', () => {
    const amounts = [5_000_000_000_000n, 2_100_000_000n, 95n, 19_950_000n, 30n, 6_300_000n, 9_975_000n]
    const reserves = [206_900_000_000_000n, 84_990_359_301n, 201_900_000_000_000n, 87_090_359_301n]
    const payload = encodeEvent('PostCompleteBuyEvent', [
      ...[someone, { key: mint! }, someone, { key: '1'.repeat(32) }],
      { i64: 1_790_784_400n },
      ...[...amounts, ...reserves].map((u64) => ({ u64 })),
    ])
    const { key, fact } = only(decode([{ program: 'pump', payload }]))
    expect([key, fact.type]).to.deep.equal([mint, 'PoolTraded'])
    expect(fact.data).to.deep.include({
      trader: hexOf(someone.key),
      tokenRaw: 5_000_000_000_000n,
      quoteRaw: 2_100_000_000n,
      feeRaw: 19_950_000n,
      creatorFeeRaw: 6_300_000n,
      poolTokenRaw: 201_900_000_000_000n,
      poolQuoteRaw: 87_090_359_301n,
      isBeforeMigration: true,
      quoteMint: null,
    })
  })
})

describe('a fact of a trade in a pool', () => {
  it('has the reserves after it, with the virtual one, of every recorded event', () => {
    for (const event of recordedEvents().filter(({ event: name }) => name === 'BuyEvent' || name === 'SellEvent')) {
      const its = event.decoded as Readonly<Record<string, string>>
      const of = (name: string) => BigInt(its[name] ?? 0)
      const isBuy = event.event === 'BuyEvent'
      const pools = new Map([[hexOf(its.pool!), { key: 'the mint', quoteMint: null }]])
      const { key, fact } = only(decode([emittedOf(event)], pools))
      expect(key).to.equal('the mint')
      const [tokens, quote] = isBuy
        ? [of('base_amount_out'), of('quote_amount_in')]
        : [-of('base_amount_in'), -of('quote_amount_out')]
      const moved = isBuy ? of('quote_amount_in_with_lp_fee') : -of('quote_amount_out_without_lp_fee')
      expect(fact.data).to.deep.include({
        trader: hexOf(its.user!),
        tokenRaw: tokens,
        quoteRaw: quote,
        poolTokenRaw: of('pool_base_token_reserves') - tokens,
        poolQuoteRaw: of('pool_quote_token_reserves') + of('virtual_quote_reserves') + moved,
        virtualQuoteRaw: of('virtual_quote_reserves'),
        feeRaw: of('protocol_fee'),
        creatorFeeRaw: of('coin_creator_fee'),
        lpFeeRaw: of('lp_fee'),
        isBeforeMigration: false,
      })
    }
  })
})
