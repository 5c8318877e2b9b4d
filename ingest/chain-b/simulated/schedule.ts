/**
 * Plans the trades of a mint and their times. The planned trades depend on the plan and on random numbers,
 * but not on the state of the curve.
 */
import { instantsAt, scaled, somebody, total } from '../../simulated/market/trading.ts'
import { type Random, shuffled } from '../../simulated/random.ts'
import type { BurstPlan, MintPlan } from './plan.ts'
import { bot, crewMember, drawCrew, drawLeader } from './wallets.ts'

/**
 * A planned trade.
 * - `move`: one trade of a random wallet that brings the SOL in the curve closer to `toSol`.
 * - `settle`: such trades until `toSol` is about reached.
 * - `together`: several buys in one slot.
 * - `round-trip`: a buy and the sale of its tokens in one transaction.
 */
export type Intent = Readonly<{ atSec: number }> &
  Readonly<
    | { does: 'move' | 'settle'; toSol: number }
    | { does: 'buy'; wallet: number; sol: number; isExact: boolean }
    | { does: 'together'; buys: readonly Readonly<{ wallet: number; sol: number }>[] }
    | { does: 'sell'; wallet: number; share: number }
    | { does: 'round-trip'; wallet: number; sol: number }
    | { does: 'agent' | 'complete' }
  >

/**
 * The time without trades before a burst, in seconds. It is longer than the window of 60 s in which the burst
 * rule counts buys. So the window contains only the buys of the burst.
 */
const hushSec = 63
/**
 * The maximum sum of a burst's buys in one slot, in SOL. Larger buys could fill the curve above 55 % before
 * the rule detects the burst.
 */
const slotSolMost = 2.3
/**
 * The minimum sum of a burst's buys, in SOL. The small sales within the burst reduce this sum, but more than
 * 10 SOL remain.
 */
const burstSolLeast = 11.8

/** All intents in time order. */
export function intentsOf(plan: MintPlan, random: Random): readonly Intent[] {
  const intents =
    plan.kind === 'rushed'
      ? [...opening(plan, random), ...climb(plan, plan.launchedAtSec + 20, random)]
      : [...life(plan, random)]
  return intents.filter(({ atSec }) => atSec < plan.quietFromSec).sort((left, right) => left.atSec - right.atSec)
}

function* life(plan: MintPlan, random: Random): Generator<Intent> {
  yield* opening(plan, random)
  let fromSec = plan.launchedAtSec + 20
  for (const burst of plan.bursts) {
    yield* calm(plan, { fromSec, toSec: burst.startSec - hushSec }, random)
    yield { atSec: burst.startSec - hushSec, does: 'settle', toSol: plan.calmSol }
    yield* burstOf(burst, random)
    yield* leaderAt(plan, burst, random)
    fromSec = burst.endSec + 1
    if (burst !== plan.bursts.at(-1)) {
      yield* slide({ fromSec, toSec: fromSec + 600 }, plan.calmSol, random)
      fromSec += 600
    }
  }
  if (plan.bursts.length > 0) yield* ending(plan, fromSec, random)
  else yield* calm(plan, { fromSec, toSec: plan.quietFromSec }, random)
}

type Span = Readonly<{ fromSec: number; toSec: number }>

/** Plans the buys at the launch. Up to five bots buy with the same amount, either in one slot or within 4 s. */
function* opening(plan: MintPlan, random: Random): Generator<Intent> {
  const atSec = plan.launchedAtSec
  const count = Math.min(5, Math.floor(random.exponential(2)))
  const sol = random.pick([0.1, 0.2, 0.25, 0.5])
  const buys = Array.from({ length: count }, () => ({ wallet: bot(random), sol }))
  if (count > 1 && random.chance(0.5)) yield { atSec: atSec + 0.4 * random.whole(0, 2), does: 'together', buys }
  else for (const buy of buys) yield { atSec: atSec + random.unit() * 4, does: 'buy', ...buy, isExact: true }
  for (const { wallet } of buys) yield { atSec: atSec + 5 + random.exponential(40), does: 'sell', wallet, share: 1 }
  if (plan.kind === 'dead' && random.chance(0.12))
    yield* copied(drawLeader(false, random).wallet, { atSec: atSec + 8, holdSec: soldAfterSec }, random)
  if (plan.isMayhem)
    for (let at = atSec + 15; at < plan.quietFromSec; at += 60 + random.exponential(120))
      if (!isHushed(plan, at)) yield { atSec: at, does: 'agent' }
}

const isHushed = ({ bursts }: MintPlan, atSec: number): boolean =>
  bursts.some(({ startSec, endSec }) => atSec > startSec - hushSec && atSec <= endSec)

/** Plans small trades that keep the SOL in the curve around `calmSol`. */
function* calm(plan: MintPlan, span: Span, random: Random): Generator<Intent> {
  for (const atSec of instantsAt(() => 1 / plan.gapSec, span, random)) {
    if (random.chance(0.04)) yield { atSec, does: 'round-trip', wallet: bot(random), sol: 0.05 + 0.3 * random.unit() }
    else yield { atSec, does: 'move', toSol: plan.calmSol * random.logNormal(1, 0.3) }
  }
}

/**
 * Plans the trades of up to two leaders, which are wallets whose trades others copy. The leaders buy before
 * the burst. Most of them sell after the burst.
 */
function* leaderAt(plan: MintPlan, { startSec }: BurstPlan, random: Random): Generator<Intent> {
  const count = random.whole(0, 2)
  for (let index = 0; index < count; index++) {
    const earliestSec = Math.max(plan.launchedAtSec + 6, startSec - 900)
    const atSec = earliestSec + random.unit() * (startSec - hushSec - 5 - earliestSec)
    const holdSec = startSec - atSec + soldAfterSec
    yield* copied(drawLeader(true, random).wallet, { atSec, holdSec }, random)
  }
}

/**
 * The minimum time from the start of a burst to a leader's sale, in seconds. By then, every burst has ended.
 */
const soldAfterSec = 45

type Copied = Readonly<{ atSec: number; holdSec: number }>

function* copied(wallet: number, { atSec, holdSec }: Copied, random: Random): Generator<Intent> {
  const sol = random.chance(0.8) ? 1 + 0.8 * random.unit() : 0.2 + 0.6 * random.unit()
  yield { atSec, does: 'buy', wallet, sol, isExact: true }
  if (random.chance(0.85))
    yield {
      atSec: atSec + holdSec + random.exponential(300),
      does: 'sell',
      wallet,
      share: random.pick([1, 1, 0.5]),
    }
}

/** Plans the buys of a burst, with a small sale after every fifth buy. The last trade of a burst is a buy. */
function* burstOf(burst: BurstPlan, random: Random): Generator<Intent> {
  const crew = drawCrew(random)
  const isCrew = burst.style === 'same-size' || burst.style === 'bundles'
  const groups =
    burst.style === 'bundles' ? bundled(sizesOf(burst, random)) : sizesOf(burst, random).map((sol) => [sol])
  const stepSec = (burst.endSec - burst.startSec) / groups.length
  let member = 0
  for (const [index, group] of groups.entries()) {
    const buys = group.map((sol) => ({ wallet: isCrew ? crewMember(crew, member++) : somebody(random), sol }))
    const atSec = burst.startSec + index * stepSec
    yield { atSec, does: 'together', buys }
    if (index % 5 === 4 && index < groups.length - 1) {
      const { wallet } = buys[0] as (typeof buys)[number]
      yield { atSec: atSec + stepSec / 2, does: 'sell', wallet, share: 0.1 }
    }
  }
}

function sizesOf({ style, buys, sol }: BurstPlan, random: Random): readonly number[] {
  const weights = Array.from({ length: buys }, (_, index) => {
    if (style === 'same-size') return 1
    return style === 'whales' && index % 4 === 1 ? random.logNormal(4, 0.2) : random.logNormal(1, 0.45)
  })
  const sizes = scaled(sol, weights).map((size) => Math.min(slotSolMost, size))
  while (total(sizes) < burstSolLeast) sizes.push(0.8)
  return style === 'same-size' ? sizes : shuffled(sizes, random)
}

/**
 * Distributes the buys to slots. A slot gets up to four buys, as long as their sum is at most `slotSolMost`.
 */
function bundled(sizes: readonly number[]): readonly (readonly number[])[] {
  const groups: number[][] = []
  for (const size of sizes) {
    const last = groups.at(-1)
    if (last && last.length < 4 && total(last) + size <= slotSolMost) last.push(size)
    else groups.push([size])
  }
  return groups
}

function* ending(plan: MintPlan, fromSec: number, random: Random): Generator<Intent> {
  const { kind, sec } = plan.end
  if (kind === 'graduates') yield* climb(plan, fromSec, random)
  if (kind === 'fades') yield* slide({ fromSec, toSec: fromSec + sec }, 0.5 + plan.calmSol / 2, random)
  if (kind === 'holds') {
    const toSol = plan.calmSol + 11
    for (let atSec = fromSec; atSec < fromSec + sec; atSec += random.exponential(20))
      yield { atSec, does: 'move', toSol: toSol * random.logNormal(1, 0.08) }
  }
  if (kind === 'dumped') {
    yield { atSec: fromSec + sec, does: 'settle', toSol: 0.3 }
    for (let atSec = fromSec; atSec < fromSec + sec; atSec += random.exponential(15))
      yield { atSec, does: 'move', toSol: (plan.calmSol + 11) * random.logNormal(1, 0.08) }
  }
}

/** Plans trades that let the SOL in the curve fall to about `toSol`, first fast, then slowly. */
function* slide({ fromSec, toSec }: Span, toSol: number, random: Random): Generator<Intent> {
  const count = random.whole(18, 40)
  for (let index = 0; index < count; index++) {
    const done = index / count
    const level = toSol + 10 * (1 - done) ** 2
    yield { atSec: fromSec + (toSec - fromSec) * done, does: 'move', toSol: level * random.logNormal(1, 0.12) }
  }
}

/** Plans trades that let the SOL in the curve rise until the curve is complete. */
function* climb(plan: MintPlan, fromSec: number, random: Random): Generator<Intent> {
  const count = random.whole(70, 130)
  const baseSol = plan.kind === 'rushed' ? 1 : plan.calmSol + 11
  for (let index = 0; index < count; index++) {
    const done = index / count
    const level = baseSol + (84 - baseSol) * done
    yield { atSec: fromSec + plan.end.sec * done, does: 'move', toSol: level * random.logNormal(1, 0.04) }
  }
  yield { atSec: fromSec + plan.end.sec, does: 'complete' }
}
