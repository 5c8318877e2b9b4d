/**
 * Computes the bodies of the routes about leaders. Leaders are the wallets whose buys are copied. Texts for
 * people are left out.
 */
import { createHash } from 'node:crypto'
import type { Hex } from '../../../../schemas/units.ts'
import { anyText } from './answers.ts'
import { base58Of } from './base58.ts'
import { fillOf } from './bursts.ts'
import type { FollowedBuy } from './copies.ts'
import type { CopyRules } from './copy-rules.ts'
import type { Rebuilt, WalletRecord } from './leaders.ts'
import { gapsIn, type Span } from './missing.ts'
import { filledAt } from './rows.ts'
import { tickAfter, tickOfSlot } from './stories.ts'

export type CopyAnswers = Readonly<{
  leaders(limit: number): object
  copyStats(wallet: Hex): object
}>

/** Returns the newest list of leaders at a point in time. Before the first list, the result is empty. */
export type ListAt = (atMs: number) => Rebuilt

const minuteMs = 60_000
const listMost = 50
const buysMost = 100

type At = Readonly<{ cutAtMs: number; rebuiltAtMs: number; rebuilt: Rebuilt; listAt: ListAt }>

export function copyAnswersOf({ cutAtMs, rebuiltAtMs, rebuilt, listAt }: At, rules: CopyRules): CopyAnswers {
  const envelope = {
    ...{ chain: 'chainB', schemaVersion: 1, generatedAt: cutAtMs },
    ageSec: Math.floor((cutAtMs - rebuiltAtMs) / 1000),
    rebuiltAt: rebuiltAtMs,
  }
  const list = rebuilt.leaders.slice(0, listMost)
  const rankOf = (wallet: Hex) => list.findIndex((leader) => leader.wallet === wallet) + 1
  const shrink = { k: rules.shrink, prior: rebuilt.prior }
  const replay = {
    ...{ exit: anyText, bigSol: solOf(rules.bigLeast), stakeSol: solOf(rules.stakeLamports) },
    ...{ stopRatio: rules.stop, trailRatio: rules.trail, trailFromRatio: rules.trailFrom },
    ...{ takeProfitRatio: rules.takeProfit, timeStopMin: rules.timeStopMs / minuteMs },
  }
  const bounds = { maxN: rules.replaysMost, capRet: rules.cap }
  const shadow = {
    ...{ shadowSol: solOf(rules.followedLeast), pathMin: rules.hourMs / minuteMs },
    ...{ hitRatio: rules.hit, missRatio: rules.miss },
  }
  const shared = { shrink, ...bounds, replay, shadow }

  return {
    leaders: (limit) => ({
      ...envelope,
      method: { metric: anyText, window: anyText, minN: rules.replaysLeast, replays: rebuilt.replays, ...shared },
      wallets: list.slice(0, Math.floor(limit)).map((leader) => ({
        rank: rankOf(leader.wallet),
        wallet: base58Of(leader.wallet),
        ...scoresOf(leader),
        ...{ gapBuys: 0, lastBuyAt: leader.buys[0]?.buy.atMs },
      })),
    }),
    copyStats(wallet) {
      const record = rebuilt.wallets.get(wallet)
      if (record === undefined) throw new TypeError(`the oracle knows no wallet ${wallet}`)
      return {
        ...envelope,
        wallet: base58Of(wallet),
        method: { ...textsOfStats, ...shared },
        buys: record.buys.slice(0, buysMost).map((followed) => buyRow(followed, { record, rebuilt, listAt })),
        summary: { buys: record.buys.length, rank: rankOf(wallet) || null, ...scoresOf(record) },
      }
    },
  }
}

const textsOfStats = Object.fromEntries(
  ['buys', 'otherLeaders', 'quoteDrift', 'fillSlip', 'leaderNext', 'path60m', 'ret', 'summary'].map((name) => [
    name,
    anyText,
  ]),
)

const solOf = (lamports: bigint): number => Number(lamports) / 1e9

const scoresOf = ({ n, evShrunk, evRaw, winShare, shadowed, shadowHit, sells }: WalletRecord) => ({
  ...{ n, evShrunk, evRaw, winShare },
  ...{ shadowed, shadowHit, sells },
})

type Among = Readonly<{ rebuilt: Rebuilt; listAt: ListAt }>
type OfWallet = Among & Readonly<{ record: WalletRecord }>

const [hourMs, poolMs] = [60 * minuteMs, 5 * minuteMs]

/**
 * Returns the time range whose trades affect a row. After a sale of the wallet, the range starts earlier,
 * because the row depends on the wallet's earlier buys. For a buy in the pool, the range also starts earlier,
 * because the row depends on the completion of the curve.
 */
function spanOf({ story, buy, hour }: FollowedBuy, { buys }: WalletRecord): Span {
  const { atMs } = buy
  // The buys are sorted from newest to oldest, so `findLast` returns the oldest buy of the mint.
  const first = buys.findLast((other) => other.story.mint === story.mint)?.buy ?? buy
  const soldFromMs = hour?.sale ? first.atMs - hourMs : atMs
  const isComplete = buy.isInPool || buy.leftRaw === 0n
  return { afterMs: Math.min(atMs - 1, soldFromMs - 1, isComplete ? atMs - poolMs : atMs), toMs: atMs + hourMs }
}

function buyRow(followed: FollowedBuy, { record, rebuilt, listAt }: OfWallet) {
  const { story, buy, hour } = followed
  const { trade } = buy
  const { launchAtMs } = story
  const name = `b:${story.mint}:${base58Of(trade.txHash)}:${trade.logIndex}`
  const knownAtMs = tickOfSlot(rebuilt.known, buy.slot)?.knownAtMs
  return {
    buyId: createHash('sha1').update(name).digest('hex').slice(0, 16),
    at: buy.atMs,
    mint: story.mint,
    leaderSol: solOf(trade.quoteRaw),
    curveAt: buy.isInPool ? 1 : fillOf(buy.leftRaw),
    tokenAgeMin: launchAtMs === null ? null : (buy.atMs - launchAtMs) / minuteMs,
    otherLeaders: otherLeadersOf(followed, { rebuilt, listAt }),
    quoteDrift: hour?.quoteDrift ?? null,
    fillSlip: hour?.fillSlip ?? null,
    leaderNext: hour?.sale ? { sellAfterSec: hour.sale.sec, soldShare: hour.sale.share, gain: hour.sale.gain } : null,
    path60m: hour?.path ?? null,
    ret: hour?.exit?.ret ?? null,
    exit: hour?.exit?.why.replace('_', '-') ?? null,
    gaps: gapsIn(rebuilt.known, story, spanOf(followed, record)),
    knownAt: knownAtMs,
    publishedAt: knownAtMs,
    filled: {
      'signal+30m': filledAt(hour === null ? undefined : tickAfter(rebuilt.known, buy.atMs + hourMs)?.knownAtMs),
    },
  }
}

/** Returns the number of other listed leaders that had already bought the mint. */
function otherLeadersOf({ story, buy }: FollowedBuy, { rebuilt, listAt }: Among): number {
  const others = listAt(buy.atMs)
    .leaders.slice(0, listMost)
    .filter(({ wallet }) => wallet !== buy.trade.trader)
  const hadBought = (wallet: Hex) =>
    rebuilt.wallets.get(wallet)?.buys.some((other) => other.story.mint === story.mint && other.buy.atMs <= buy.atMs)
  return others.filter(({ wallet }) => hadBought(wallet)).length
}
