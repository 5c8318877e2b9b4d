/** Compares the stage of chain A with the oracle on random trades. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type {
  Burst,
  BurstLp,
  BurstOutcome,
  ChainADerived,
  PoolMinute,
  PoolProfile,
} from '../../schemas/chain-a/derived.ts'
import { findBursts, type OracleBurst } from '../support/oracle/bursts.ts'
import { oracleRules } from '../support/oracle/oracle-rules.ts'
import { type OracleOutcome, scoreBurst } from '../support/oracle/outcomes.ts'
import { type RandomMarket, randomMarket } from '../support/oracle/random/chain-a-market.ts'
import { askedAt, type ExpectedLp, expectedLpAt, profilesOf } from '../support/oracle/random/expected-lp.ts'
import { minutesOf } from '../support/oracle/random/expected-minutes.ts'
import { deriveMarket, fateOf } from './derive-random-market.ts'

const rounded = (value: number): string => value.toPrecision(9)
/** Adds 1 before rounding, so that values near 0 are compared by their absolute error. */
const fixed = (value: number): string => (value + 1).toFixed(9)
const nameOf = ({ pool, tier, atMs }: Pick<Burst, 'pool' | 'tier' | 'atMs'>): string => `${pool} ${tier} ${atMs}`
const oracleNameOf = ({ pool, tier, at }: OracleBurst): string => `${pool} ${tier} ${at}`

const shownBurst = (burst: Burst) => ({
  ...{ block: burst.blockNumber, dex: burst.dex, shape: burst.shape, buys: burst.buys, sells: burst.sells },
  ...{ inflow: rounded(Number(burst.inflowWei) / 1e18), sameSizeMax: burst.sameSizeMax, px: rounded(burst.px) },
  ...{ top3Share: rounded(burst.top3Share), sizeCv: fixed(burst.sizeCv), windowSec: burst.windowSec },
})

const countedBurst = (burst: OracleBurst) => ({
  ...{ block: burst.block, dex: burst.dex, shape: burst.shape, buys: burst.buys, sells: burst.sells },
  ...{ inflow: rounded(burst.inflowEth), sameSizeMax: burst.sameSizeMax, px: rounded(burst.px) },
  ...{ top3Share: rounded(burst.top3Share), sizeCv: fixed(burst.sizeCV), windowSec: burst.windowSec },
})

const shownOutcome = ({ ret30m, peakRet, ruleRet, exits, rug }: BurstOutcome) => ({
  returns: [ret30m, peakRet, ruleRet].map(fixed),
  exits: exits.map(({ rule, ret, why, sec }) => `${rule} ${fixed(ret)} ${why.replaceAll('_', '-')} ${sec}`),
  rug: rug && `${rug.atSec} ${fixed(rug.lpRemoved)}`,
})

const countedOutcome = ({ ret30m, peakRet, ruleRet, byRule, rug }: OracleOutcome) => ({
  returns: [ret30m, peakRet, ruleRet].map(fixed),
  exits: Object.entries(byRule).map(
    ([rule, { ret, why, sec }]) => `${rule} ${fixed(ret)} ${why.replaceAll('+', '-')} ${sec}`,
  ),
  rug: rug && `${rug.atSec} ${fixed(rug.lpRemoved)}`,
})

const shownLp = (lp: BurstLp | PoolProfile | ExpectedLp) => ({
  ...{ class: lp.class, firstAddAtMs: lp.firstAddAtMs, lpAdds: lp.lpAdds },
  shares: [lp.insiderShare, lp.burnedShare, lp.contractShare, lp.otherShare, lp.unknownShare].map(fixed),
})

const shownMinute = ({ buyWei, sellWei, buys, sells, lastPx, lastSwapAtMs, liqEth }: Omit<PoolMinute, 'pool'>) => ({
  ...{ buyWei: `${buyWei}`, sellWei: `${sellWei}`, buys, sells, lastPx: lastPx && rounded(lastPx), lastSwapAtMs },
  liqEth: rounded(liqEth),
})

type Row = readonly [name: string, row: unknown]

/** Returns one line per row, sorted. If rows have the same name, the last row counts. */
const linesOf = (rows: readonly Row[]): readonly string[] =>
  [...new Map(rows)].map(([name, row]) => `${name} ${JSON.stringify(row)}`).sort()

/** Fails with only the first rows that differ, because there are hundreds of rows. */
function expectRows(derived: readonly Row[], counted: readonly Row[]): void {
  const [all, expected] = [linesOf(derived), linesOf(counted)]
  const wrong = all.filter((line) => !expected.includes(line)).slice(0, 3)
  const missing = expected.filter((line) => !all.includes(line)).slice(0, 3)
  assert.equal([...wrong, '  instead of', ...missing].join('\n'), '  instead of')
}

type Data<Type extends ChainADerived['type']> = Extract<ChainADerived, { type: Type }>['data']

/** Compares what the stage derives from random trades with what the oracle computes. */
function compare(market: RandomMarket): void {
  const outputs = deriveMarket(market)
  const found = <Type extends ChainADerived['type']>(type: Type, rowOf: (data: Data<Type>) => Row): readonly Row[] =>
    outputs.flatMap((record) => (record.type === type ? [rowOf(record.data as Data<Type>)] : []))
  const { events } = market.world
  const bursts = findBursts(events, market.senders, oracleRules)
  const countedFor = (of: (burst: OracleBurst) => unknown) =>
    bursts.flatMap((burst): readonly Row[] => {
      const row = of(burst)
      return row === undefined ? [] : [[oracleNameOf(burst), row]]
    })
  expectRows(
    found('Burst', (burst) => [nameOf(burst), shownBurst(burst)]),
    countedFor(countedBurst),
  )
  expectRows(
    found('BurstOutcome', (outcome) => [nameOf(outcome), shownOutcome(outcome)]),
    countedFor((burst) => countedOutcome(scoreBurst(burst, market.world, oracleRules))),
  )
  expectRows(
    found('BurstBuyers', (buyers) => [nameOf(buyers), buyers.wallets]),
    countedFor((burst) => (burst.tier === 'lite' ? undefined : walletsAt(burst))),
  )
  expectRows(
    found('OwnersAsked', (asked) => [nameOf(asked), asked.positionIds]),
    countedFor((burst) => (isProfiled(burst) ? askedOf(burst, market) : undefined)),
  )
  expectRows(
    found('BurstLp', (lp) => [nameOf(lp), shownLp(lp)]),
    countedFor((burst) => (isProfiled(burst) ? shownLp(burstLpOf(burst, market)) : undefined)),
  )
  expectRows(
    found('PoolProfile', (profile) => [`${profile.pool} ${profile.checkedAtMs}`, shownLp(profile)]),
    events.pools
      .filter(({ dex }) => dex === 'v4')
      .flatMap((pool) =>
        profilesOf(market, pool).map(
          ({ checkedAtMs, block }): Row => [
            `${pool.id} ${checkedAtMs}`,
            shownLp(expectedLpAt(market, pool, { block, doubted: null })),
          ],
        ),
      ),
  )
  expectRows(
    found('PoolMinute', (row) => [`${row.pool} ${row.minuteAtMs}`, shownMinute(row)]),
    minutesOf(events).map((row) => [`${row.pool} ${row.minuteAtMs}`, shownMinute(row)]),
  )
}

const isProfiled = ({ dex, tier }: OracleBurst): boolean => dex === 'v4' && (tier === 'main' || tier === 'lite')
const signalOf = ({ pool, at }: OracleBurst) => ({ pool, atMs: at })

function walletsAt(burst: OracleBurst): readonly string[] | null | undefined {
  const fate = fateOf(signalOf(burst))
  if (fate === 'unanswered') return undefined
  return fate === 'failed' || fate === 'lacking' ? null : burst.wallets
}

const askedOf = ({ pool, block }: OracleBurst, market: RandomMarket): readonly string[] | undefined => {
  const asked = askedAt(market, pool, block)
  return asked.length === 0 ? undefined : asked
}

/**
 * Returns the expected liquidity class. For a pool without liquidity the stage publishes `unknown`, because
 * nobody could remove liquidity.
 */
function burstLpOf(burst: OracleBurst, market: RandomMarket): ExpectedLp {
  const pool = market.world.events.pools.find(({ id }) => id === burst.pool)
  assert(pool !== undefined)
  const { block } = burst
  const [first] = askedAt(market, pool.id, block)
  const isKnown = market.positionsAt(pool.id, block).some((held) => held.positionId === first && held.isKnown)
  const isDoubted = first !== undefined && isKnown && fateOf(signalOf(burst)) === 'doubted'
  const lp = expectedLpAt(market, pool, { block, doubted: isDoubted ? first : null })
  return lp.class === 'empty' ? { ...lp, class: 'unknown' } : lp
}

describe('the stage of chain A on random markets', () => {
  it('derives the bursts, the outcomes, the holders of liquidity and the minutes that the oracle counts', () =>
    fc.assert(
      fc.property(fc.nat(1e6), (seed) => compare(randomMarket(seed))),
      { numRuns: 10, endOnFailure: true },
    ))
})
