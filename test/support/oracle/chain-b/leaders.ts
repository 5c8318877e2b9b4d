/**
 * Computes the ranked list of leaders (wallets worth copying) and their buys at a full hour. The input is
 * what the service knew as soon as block time had passed that hour.
 */
import type { Hex } from '../../../../schemas/units.ts'
import { type FollowedBuy, followedBuysOf, type Hour, type KnownHours } from './copies.ts'
import type { CopyRules } from './copy-rules.ts'
import { medianOf, shareOf } from './statistics.ts'
import type { Known } from './stories.ts'

/** The fields of a buy that are used for the summary of a wallet. */
type Counted = Readonly<{
  hour: (Pick<Hour, 'isHit' | 'sale'> & Readonly<{ exit: Readonly<{ ret: number }> | null }>) | null
}>

export type WalletRecord<Buy extends Counted = FollowedBuy> = Readonly<{
  wallet: Hex
  /** Newest first. */
  buys: readonly Buy[]
  n: number
  evRaw: number | null
  evShrunk: number
  winShare: number | null
  shadowed: number
  shadowHit: number | null
  sells: ReturnType<typeof sellsOf> | null
}>

type Ranking<Buy extends Counted> = Readonly<{
  replays: number
  prior: number | null
  wallets: ReadonlyMap<Hex, WalletRecord<Buy>>
  /** Best first. */
  leaders: readonly WalletRecord<Buy>[]
}>

export type Rebuilt = Ranking<FollowedBuy> & Readonly<{ known: Known }>

/** The input of a list of leaders. Events after `toldAtMs` do not count, even if they are known. */
type Telling = Readonly<{ toldAtMs: number; knownHours: KnownHours }>

export function rebuild(known: Known, { toldAtMs, knownHours }: Telling, rules: CopyRules): Rebuilt {
  // With this time, an hour that ends exactly at `toldAtMs` is over.
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
  for (const buys of byWallet.values()) buys.sort(newestFirst)
  return { known, ...rankingOf(byWallet, rules) }
}

/** Ranks the wallets. The buys of each wallet must be sorted from newest to oldest. */
export function rankingOf<Buy extends Counted>(
  byWallet: ReadonlyMap<Hex, readonly Buy[]>,
  rules: CopyRules,
): Ranking<Buy> {
  const replays = [...byWallet.values()].flatMap((buys) => returnsOf(buys, rules))
  const prior = meanOf(replays)
  const wallets = new Map([...byWallet].map(([wallet, buys]) => [wallet, recordOf({ wallet, buys, prior }, rules)]))
  const leaders = [...wallets.values()]
    .filter(({ n }) => n >= rules.replaysLeast)
    .sort((one, other) => other.evShrunk - one.evShrunk || other.n - one.n || (one.wallet < other.wallet ? -1 : 1))
  return { replays: replays.length, prior, wallets, leaders }
}

/** Compares two buys. Block times are whole seconds, so several slots can have the same time. */
const newestFirst = ({ buy: one, story: first }: FollowedBuy, { buy: other, story: second }: FollowedBuy): number =>
  other.atMs - one.atMs || other.slot - one.slot || (first.mint < second.mint ? -1 : 1)

const returnsOf = (buys: readonly Counted[], rules: CopyRules): readonly number[] =>
  buys.flatMap(({ hour }) => (hour?.exit ? [Math.min(rules.cap, hour.exit.ret)] : []))

const meanOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((one, other) => one + other, 0) / values.length

type Wallet<Buy> = Readonly<{ wallet: Hex; buys: readonly Buy[]; prior: number | null }>

function recordOf<Buy extends Counted>({ wallet, buys, prior }: Wallet<Buy>, rules: CopyRules): WalletRecord<Buy> {
  const replayed = buys.filter(({ hour }) => hour?.exit).slice(0, rules.replaysMost)
  const evRaw = meanOf(returnsOf(replayed, rules))
  const n = replayed.length
  const closed = buys.flatMap(({ hour }) => hour ?? [])
  return {
    ...{ wallet, buys, n, evRaw },
    evShrunk: (n * (evRaw ?? 0) + rules.shrink * (prior ?? 0)) / (n + rules.shrink),
    winShare: shareOf(replayed.filter(({ hour }) => (hour?.exit?.ret ?? 0) > 0).length, n),
    shadowed: closed.length,
    shadowHit: shareOf(closed.filter(({ isHit }) => isHit).length, closed.length),
    sells: closed.length === 0 ? null : sellsOf(closed, rules),
  }
}

function sellsOf(closed: readonly Pick<Hour, 'sale'>[], { quickSec }: CopyRules) {
  const sales = closed.flatMap(({ sale }) => sale ?? [])
  return {
    observed: closed.length,
    sold: sales.length,
    soldShare: shareOf(sales.length, closed.length),
    medSoldSec: medianOf(sales.map(({ sec }) => sec)),
    medSellGain: medianOf(sales.map(({ gain }) => gain)),
    soldWithin60sShare: shareOf(sales.filter(({ sec }) => sec <= quickSec).length, closed.length),
  }
}
