/** Bursts by brute force: at every slot with a trade of the curve the whole minute behind it is counted anew. */
import { curveFill, forSaleRaw } from '../../../../schemas/chain-b/curve.ts'
import type { Burst, BurstAnatomy } from '../../../../schemas/chain-b/derived.ts'
import { type Answered, type Life, type Traded, tradesOf } from './lives.ts'
import type { OracleRules } from './oracle-rules.ts'

export type OracleBurst = Readonly<{ burst: Burst; window: readonly Traded[]; signalTrades: readonly Traded[] }>

const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n)
const netOf = (trades: readonly Traded[]): bigint => sum(trades.map(({ quoteRaw }) => quoteRaw))
const buysIn = (trades: readonly Traded[]): readonly Traded[] => trades.filter(({ quoteRaw }) => quoteRaw > 0n)

export function findBursts(life: Life, rules: OracleRules): readonly OracleBurst[] {
  const { launchAtMs, completed, opening } = life
  if (opening.data.quoteMint !== null || launchAtMs === null) return []
  const trades = tradesOf(life)
  const found: OracleBurst[] = []
  for (const slot of new Set(trades.map(({ blockNumber }) => blockNumber))) {
    const signalTrades = trades.filter(({ blockNumber }) => blockNumber === slot)
    const last = signalTrades.at(-1) as Traded
    const atMs = last.blockAtMs
    if (completed !== null && completed.slot <= slot) continue
    if (rules.oneUnscoredAtATime && found.some(({ burst }) => atMs <= burst.atMs + rules.outcomeMs)) continue
    const window = trades.filter((trade) => trade.blockNumber <= slot && isWithin(trade, atMs, rules))
    if (!isBurst({ window, last, ageMs: atMs - launchAtMs }, rules)) continue
    const first = window[0] as Traded
    const burst = {
      ...{ atMs, slot, slotHash: last.blockHash, launchAtMs, windowSec: rules.windowMs / 1000 },
      inflowLamports: netOf(window),
      fillFrom: curveFill(first.realTokenRaw + first.tokenRaw),
      fillAt: curveFill(last.realTokenRaw),
      virtualSol: Number(last.virtualQuoteRaw) / 1e9,
    }
    found.push({ burst, window, signalTrades })
  }
  return found
}

const isWithin = ({ blockAtMs }: Traded, atMs: number, { windowMs, windowIncludesStart }: OracleRules): boolean =>
  blockAtMs > atMs - windowMs || (windowIncludesStart && blockAtMs === atMs - windowMs)

type Signal = Readonly<{ window: readonly Traded[]; last: Traded; ageMs: number }>

function isBurst({ window, last, ageMs }: Signal, rules: OracleRules): boolean {
  const inflow = netOf(window)
  if (rules.thresholdIsStrict ? inflow <= rules.inflowLamports : inflow < rules.inflowLamports) return false
  const { recentMs, fillMin, fillMax } = rules
  if (recentMs !== null) {
    const recent = window.filter(({ blockAtMs }) => blockAtMs > last.blockAtMs - recentMs)
    if (buysIn(recent).length === 0 || netOf(recent) <= 0n) return false
  }
  const sold = forSaleRaw - last.realTokenRaw
  if (sold * fillMin.in < forSaleRaw * fillMin.of || sold * fillMax.in > forSaleRaw * fillMax.of) return false
  return ageMs >= rules.ageMsMin && ageMs <= rules.ageMsMax
}

/** Null if nobody answered in time. */
export function anatomyOf(life: Life, { burst, window }: OracleBurst, rules: OracleRules): BurstAnatomy | null {
  const { atMs } = burst
  const answer = life.answers.find(({ data }) => data.questionId === `${life.mint}:${atMs}`)
  if (answer === undefined || atMs + rules.anatomyDelayMs >= life.untilMs) return null
  const buys = buysIn(window)
  const total = sum(buys.map(({ quoteRaw }) => quoteRaw))
  const sizesDown = buys.map(({ quoteRaw }) => quoteRaw).sort((left, right) => (left < right ? 1 : -1))
  const inSlot = (slot: number) => buys.filter(({ blockNumber }) => blockNumber === slot).length
  const bundled = buys.filter(({ blockNumber }) => inSlot(blockNumber) >= rules.bundleBuys)
  return {
    atMs,
    buys: buys.length,
    wallets: [...new Set(buys.map(({ trader }) => trader))],
    sameSlotMax: Math.max(...buys.map(({ blockNumber }) => inSlot(blockNumber))),
    bundledShare: Number(netOf(bundled)) / Number(total),
    sameSizeMax: Math.max(...sizesDown.map((size) => sizesDown.filter((other) => other === size).length)),
    top3Share: Number(sum(sizesDown.slice(0, 3))) / Number(total),
    ...sharesOf(life, answer, { rules, knownMs: atMs + rules.anatomyDelayMs }),
  }
}

function sharesOf(
  life: Life,
  { data }: Answered,
  { rules, knownMs }: Readonly<{ rules: OracleRules; knownMs: number }>,
) {
  const { supplyRaw, curve } = life.opening.data
  if (data.holders === null || supplyRaw === null) return { holdersTop10: null, holderTop1: null }
  const pools = life.facts.flatMap((fact) =>
    fact.type === 'CurveMigrated' && fact.data.blockAtMs <= knownMs ? [fact.data.pool] : [],
  )
  const burned = [`0x${'0'.repeat(64)}`, '0x003390728d34116079bdc911bfff00dbd44d2ecdccf79ca6e10038e100000000']
  const mayhemAgent = '0xa28b5fd26ab479a6a9cc6cbf6b0b23eb61885a371e0120aca913beef3d138a78'
  const leftOut: readonly string[] = [...(rules.leavesCurveOut ? [curve] : []), ...pools, ...burned, mayhemAgent]
  const owners = [...new Set(data.holders.map(({ owner }) => owner))].filter((owner) => !leftOut.includes(owner))
  const ofOwner = (owner: string) =>
    sum((data.holders ?? []).filter((its) => its.owner === owner).map(({ tokenRaw }) => tokenRaw))
  const amounts = owners.map(ofOwner).sort((left, right) => (left < right ? 1 : -1))
  const share = (amount: bigint) => Number(amount) / Number(supplyRaw)
  return { holdersTop10: share(sum(amounts.slice(0, rules.topHolders))), holderTop1: share(amounts[0] ?? 0n) }
}
