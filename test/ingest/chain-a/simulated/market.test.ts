import { expect } from 'chai'
import type { TokenFact } from '../../../../ingest/chain-a/types.ts'
import type { LiquidityChanged, PoolCreated, Swap } from '../../../../schemas/chain-a/facts.ts'
import { groupBy } from '../../../support/group-by.ts'
import type { OracleBurst } from '../../../support/oracle/bursts.ts'
import { burstsOfStory, storyOfPool } from '../../../support/oracle/followed-pool.ts'
import { dayMs, factsOf, hourMs, rangesOf, simulatorOver } from './tell.ts'

type Chapter = { created: PoolCreated; swaps: Swap[]; changes: LiquidityChanged[] }

function chaptersOf(facts: readonly TokenFact[]): readonly Chapter[] {
  const chapters = new Map<string, Chapter>()
  for (const { fact } of facts) {
    if (fact.type === 'PoolCreated') chapters.set(fact.data.pool, { created: fact.data, swaps: [], changes: [] })
    if (!('pool' in fact.data)) continue
    const chapter = chapters.get(fact.data.pool)
    if (fact.type === 'Swap') chapter?.swaps.push(fact.data)
    if (fact.type === 'LiquidityChanged') chapter?.changes.push(fact.data)
  }
  return [...chapters.values()]
}

type Place = TokenFact['fact']['data']

function isBehind(next: Place, last: Place): boolean {
  if (next.blockNumber !== last.blockNumber) return next.blockNumber > last.blockNumber
  const isSameTransaction = next.txIndex === last.txIndex
  if (isSameTransaction !== (next.txHash === last.txHash) || next.txIndex < last.txIndex) return false
  const isSameBlock = next.blockAtMs === last.blockAtMs && next.blockHash === last.blockHash
  return isSameBlock && next.logIndex > last.logIndex
}

const rootOf = (swap: Swap): number => Number(swap.sqrtPriceX96) / 2 ** 96

describe('the simulated market', () => {
  const fromMs = Date.UTC(2026, 10, 20, 3, 0, 11)
  let facts: readonly TokenFact[]
  let chapters: readonly Chapter[]

  before(async () => {
    facts = factsOf(await rangesOf({ seed: 7, fromMs, toMs: fromMs + 7 * hourMs, launchesPerDay: 240 }))
    chapters = chaptersOf(facts)
  })

  it('puts the facts in chain order, each in a place of its own', () => {
    const misplaced = facts.filter(({ fact }, index) => {
      const last = facts[index - 1]?.fact.data
      return last !== undefined && !isBehind(fact.data, last)
    })
    expect(misplaced).to.deep.equal([])
  })

  it('gives every launch a token and a pool of its own, some a second one later, most of them v4 against native ETH', () => {
    const openedOf = groupBy(chapters, ({ created }) => created.token)
    expect([...openedOf.values()].every((opened) => opened.length <= 2)).to.equal(true)
    expect([...openedOf.values()].filter((opened) => opened.length === 2).length).to.be.within(1, 10)
    expect(new Set(chapters.map(({ created }) => created.pool)).size).to.equal(chapters.length)
    const v3 = chapters.filter(({ created }) => created.dex === 'v3')
    expect(v3.length / chapters.length).to.be.within(0.03, 0.25)
    expect(v3.some(({ created }) => !created.ethIsCurrency0)).to.equal(true)
    for (const { created } of chapters) {
      expect(created.pool).to.have.length(created.dex === 'v3' ? 42 : 66)
      expect(created.sqrtPriceX96 === null).to.equal(created.dex === 'v3')
    }
  })

  it('swaps one side for the other, at a price that moves that way and agrees with its tick', () => {
    let counted = 0
    for (const { created, swaps } of chapters) {
      const wrong = swaps.filter((swap, index) => {
        if (swap.ethWei === 0n) return false
        counted++
        const isBuy = swap.ethWei > 0n
        const tick = (2 * Math.log(rootOf(swap))) / Math.log(1.0001)
        const before = swaps[index - 1]?.sqrtPriceX96 ?? swap.sqrtPriceX96
        const isMovedRightly =
          created.ethIsCurrency0 === isBuy ? swap.sqrtPriceX96 <= before : swap.sqrtPriceX96 >= before
        return isBuy !== swap.tokenRaw > 0n || Math.abs(swap.tick - tick) > 1.000001 || !isMovedRightly
      })
      expect(wrong, created.pool).to.deep.equal([])
    }
    expect(counted).to.be.above(5000)
  })

  it('pays out what the curve of its liquidity says, fee taken off', () => {
    let compared = 0
    for (const { created, swaps, changes } of chapters) {
      for (const [index, swap] of swaps.entries()) {
        const last = swaps[index - 1]
        if (last === undefined || !isOneCurve(last, swap) || hasChange(changes, last, swap)) continue
        expect(distanceFromCurve(created, last, swap), created.pool).to.be.below(1e-6)
        compared++
      }
    }
    expect(compared).to.be.above(2000)
  })

  it('never takes out more ETH, tokens or liquidity than went in', () => {
    for (const { created, swaps, changes } of chapters) {
      const sums = [swaps.map((swap) => swap.ethWei), swaps.map((swap) => swap.tokenRaw)]
      sums.push(changes.map((change) => change.liquidityDelta))
      expect(sums.map(lowestSum), created.pool).to.deep.equal([0n, 0n, 0n])
      expect(swaps.filter((swap) => swap.liquidity < 0n)).to.deep.equal([])
    }
  })

  it('lets pulled pools trade on for nothing', () => {
    const empty = chapters.flatMap(({ swaps }) => swaps.filter(({ liquidity }) => liquidity === 0n))
    const zero = empty.filter((swap) => swap.ethWei === 0n && [-887272, 887271].includes(swap.tick))
    expect(zero.length).to.be.above(20)
  })
})

/** Returns whether a swap is a buy during which the pool's active liquidity did not change. */
const isOneCurve = (last: Swap, swap: Swap): boolean =>
  last.liquidity === swap.liquidity && swap.liquidity > 0n && swap.ethWei > 0n

/**
 * Compares the token amount and the ETH amount of a buy with x * y = L^2, computed in doubles. Returns the
 * larger of the two relative errors.
 */
function distanceFromCurve(created: PoolCreated, last: Swap, swap: Swap): number {
  const [from, to, liquidity] = [rootOf(last), rootOf(swap), Number(swap.liquidity)]
  const [tokens, eth] = created.ethIsCurrency0
    ? [liquidity * (from - to), liquidity * (1 / to - 1 / from)]
    : [liquidity * (1 / from - 1 / to), liquidity * (to - from)]
  const feeShare = created.fee === 0x80_00_00 ? 0.012 : created.fee / 1e6
  const [tokenError, ethError] = [Number(swap.tokenRaw) / tokens - 1, (Number(swap.ethWei) * (1 - feeShare)) / eth - 1]
  return Math.max(Math.abs(tokenError), Math.abs(ethError))
}

/** Returns the minimum of the running sum, which begins at 0. */
function lowestSum(changes: readonly bigint[]): bigint {
  let [sum, lowest] = [0n, 0n]
  for (const change of changes) {
    sum += change
    if (sum < lowest) lowest = sum
  }
  return lowest
}

const hasChange = (changes: readonly LiquidityChanged[], after: Swap, before: Swap): boolean =>
  changes.some(({ blockNumber }) => blockNumber >= after.blockNumber && blockNumber <= before.blockNumber)

describe('the bursts of the simulated market', () => {
  const burstsOf = (told: readonly TokenFact[]) =>
    [...groupBy(told, ({ key }) => key).values()].flatMap((its) => {
      const ofToken = its.map(({ fact }) => fact)
      return ofToken.flatMap((fact) =>
        fact.type === 'PoolCreated' ? burstsOfStory(storyOfPool(fact.data, ofToken)) : [],
      )
    })
  /** The longest time from the creation of a pool to its main burst of buys, in milliseconds. */
  const settledMs = 3.2 * hourMs

  const toMs = Date.UTC(2026, 10, 21, 1, 17, 3)
  const day = { seed: 1, fromMs: toMs - dayMs, toMs }
  let fired: readonly OracleBurst[]
  let facts: readonly TokenFact[]

  before(async () => {
    facts = factsOf(await rangesOf(day))
    fired = burstsOf(facts)
  })

  it('are many in a day, of every tier', () => {
    const count = (tier: OracleBurst['tier']) => fired.filter((burst) => burst.tier === tier).length
    expect(count('main')).to.be.above(200)
    expect(count('lite')).to.be.above(200)
    expect(count('refire')).to.be.above(30)
    expect(count('old')).to.be.above(4)
    expect(facts.length).to.be.within(120_000, 400_000)
  })

  it('fire while they were planned, every main, lite and old one', () => {
    const created = new Set(facts.flatMap(({ fact }) => (fact.type === 'PoolCreated' ? [fact.data.pool] : [])))
    const planned = simulatorOver(day)
      .labelsOf(day.fromMs, toMs - 60_000)
      .flatMap((label) => (label.kind === 'burst' && created.has(label.pool) ? [label] : []))
    expect(planned.length).to.be.above(500)
    for (const { pool, tier, atMs, endsAtMs } of planned) {
      if (tier === 'refire') continue
      const hit = fired.find((burst) => burst.pool === pool && burst.tier === tier)
      expect(hit?.at, `${tier} of ${pool}`).to.be.within(atMs, endsAtMs)
    }
  })

  it('come at least every 5 minutes, main or lite, once pools had time to age', async () => {
    const night = { seed: 20_261, fromMs: Date.UTC(2027, 2, 1, 20, 59, 59), toMs: Date.UTC(2027, 2, 2, 2, 59, 59) }
    const firedAtNight = burstsOf(factsOf(await rangesOf(night)))
    for (const [span, bursts] of [
      [day, fired],
      [night, firedAtNight],
    ] as const) {
      const instants = bursts
        .filter(({ tier, at }) => (tier === 'main' || tier === 'lite') && at >= span.fromMs + settledMs)
        .map(({ at }) => at)
        .sort((left, right) => left - right)
      expect(instants).to.have.length.above(30)
      for (const [index, atMs] of [...instants, span.toMs].entries()) {
        expect(atMs - (instants[index - 1] ?? span.fromMs + settledMs)).to.be.below(300_000)
      }
    }
  })

  it('are planned for every 5 minutes whatever the seed', () => {
    for (let seed = 0; seed < 10; seed++) {
      const fromMs = Date.UTC(2026, 10, 21) + seed * 37_777_777
      const labels = simulatorOver({ seed, fromMs, toMs: fromMs }).labelsOf(fromMs, fromMs + 2 * hourMs)
      const ends = labels.flatMap((label) =>
        label.kind === 'burst' && (label.tier === 'main' || label.tier === 'lite') ? [label] : [],
      )
      for (const [index, burst] of ends.entries()) {
        expect(burst.endsAtMs - (ends[index - 1]?.atMs ?? fromMs)).to.be.below(300_000)
      }
    }
  })
})
