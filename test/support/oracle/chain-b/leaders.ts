/** Leaders and their copied buys, as they are told of a whole hour from what was known once block time had passed it. */
import type { Hex } from '../../../../schemas/units.ts'
import { type FollowedBuy, followedBuysOf, type Hour, type KnownHours, type LeaderSale } from './copies.ts'
import type { CopyRules } from './copy-rules.ts'
import { medianOf, shareOf } from './statistics.ts'
import type { Known } from './stories.ts'

type ClosedBuy = FollowedBuy & Readonly<{ hour: Hour }>

export type WalletRecord = Readonly<{
  wallet: Hex
  /** Newest first. */
  buys: readonly FollowedBuy[]
  n: number
  evRaw: number | null
  evShrunk: number
  winShare: number | null
  shadowed: number
  shadowHit: number | null
  sells: ReturnType<typeof sellsOf> | null
}>

export type Rebuilt = Readonly<{
  known: Known
  replays: number
  prior: number | null
  wallets: ReadonlyMap<Hex, WalletRecord>
  /** Best first. */
  leaders: readonly WalletRecord[]
}>

/** `toldAtMs`: what happened later is not told, however much is known. */
type Telling = Readonly<{ toldAtMs: number; knownHours: KnownHours }>

export function rebuild(known: Known, { toldAtMs, knownHours }: Telling, rules: CopyRules): Rebuilt {
  // An hour that ends with it is over.
  const blockAtMs = toldAtMs + 1
  const byWallet = new Map<Hex, FollowedBuy[]>()
  for (const story of known.stories)
    for (const followed of followedBuysOf(story, { blockAtMs, knownHours }, rules)) {
      const { trader } = followed.buy.trade
      if (followed.buy.atMs > toldAtMs) continue
      const buys = byWallet.get(trader)
      if (buys) buys.push(followed)
      else byWallet.set(trader, [followed])
    }
  const replays = [...byWallet.values()].flatMap((buys) => returnsOf(buys, rules))
  const prior = meanOf(replays)
  const wallets = new Map(
    [...byWallet].map(([wallet, buys]) => [wallet, recordOf({ wallet, buys: buys.sort(newestFirst), prior }, rules)]),
  )
  const leaders = [...wallets.values()]
    .filter(({ n }) => n >= rules.replaysLeast)
    .sort((one, other) => other.evShrunk - one.evShrunk || other.n - one.n || (one.wallet < other.wallet ? -1 : 1))
  return { known, replays: replays.length, prior, wallets, leaders }
}

/** Block times are whole seconds, and a second has several slots. */
const newestFirst = ({ buy: one, story: first }: FollowedBuy, { buy: other, story: second }: FollowedBuy): number =>
  other.atMs - one.atMs || other.slot - one.slot || (first.mint < second.mint ? -1 : 1)

const isClosed = (followed: FollowedBuy): followed is ClosedBuy => followed.hour !== null

const returnsOf = (buys: readonly FollowedBuy[], rules: CopyRules): readonly number[] =>
  buys.flatMap(({ hour }) => (hour?.exit ? [Math.min(rules.cap, hour.exit.ret)] : []))

const meanOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((one, other) => one + other, 0) / values.length

type Wallet = Readonly<{ wallet: Hex; buys: readonly FollowedBuy[]; prior: number | null }>

function recordOf({ wallet, buys, prior }: Wallet, rules: CopyRules): WalletRecord {
  const replayed = buys.filter(({ hour }) => hour?.exit).slice(0, rules.replaysMost)
  const evRaw = meanOf(returnsOf(replayed, rules))
  const n = replayed.length
  const closed = buys.filter(isClosed)
  return {
    ...{ wallet, buys, n, evRaw },
    evShrunk: (n * (evRaw ?? 0) + rules.shrink * (prior ?? 0)) / (n + rules.shrink),
    winShare: shareOf(replayed.filter(({ hour }) => (hour?.exit?.ret ?? 0) > 0).length, n),
    shadowed: closed.length,
    shadowHit: shareOf(closed.filter(({ hour }) => hour.isHit).length, closed.length),
    sells: closed.length === 0 ? null : sellsOf(closed, rules),
  }
}

function sellsOf(closed: readonly ClosedBuy[], { quickSec }: CopyRules) {
  const sales = closed.map(({ hour }) => hour.sale).filter((sale): sale is LeaderSale => sale !== null)
  return {
    observed: closed.length,
    sold: sales.length,
    soldShare: shareOf(sales.length, closed.length),
    medSoldSec: medianOf(sales.map(({ sec }) => sec)),
    medSellGain: medianOf(sales.map(({ gain }) => gain)),
    soldWithin60sShare: shareOf(sales.filter(({ sec }) => sec <= quickSec).length, closed.length),
  }
}
