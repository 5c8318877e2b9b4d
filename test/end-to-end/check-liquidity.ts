/**
 * Buys the answers about the owners of liquidity, and compares each with an independent computation (the
 * oracle) at the answer's block.
 */
import assert from 'node:assert/strict'
import { findCrews } from '../support/oracle/crews.ts'
import { dayOf } from '../support/oracle/last-day.ts'
import { type OracleAnswer, oracle, oracleProfiles } from '../support/oracle/oracle.ts'
import { type OracleRules, oracleRules } from '../support/oracle/oracle-rules.ts'
import { tokenClass } from '../support/oracle/profiles.ts'
import { blocksAt, type Recording } from '../support/oracle/recording.ts'
import {
  blockAtMsOf,
  buyByClass,
  buyCrews,
  buyHistory,
  buyLive,
  buyPools,
  buyRugCheck,
  buySnapshot,
  chainName,
  type Shop,
} from './buy-answers.ts'
import { isClose } from './close.ts'
import { assertBursts, assertPools } from './compare-answers.ts'
import { assertProfiles } from './compare-liquidity.ts'

export type LiquidityAnswers = Readonly<{
  history: Awaited<ReturnType<typeof buyHistory>>
  live: Awaited<ReturnType<typeof buyLive>>
  safe: Awaited<ReturnType<typeof buyByClass>>
  held: Awaited<ReturnType<typeof buyByClass>>
  crews: Awaited<ReturnType<typeof buyCrews>>
  snapshot: Awaited<ReturnType<typeof buySnapshot>>
  /** One rug check per token. */
  rugChecks: readonly Awaited<ReturnType<typeof buyRugCheck>>[]
}>

/** Buys the rug checks of the pools in `ids`. Default: all new pools. */
export async function buyLiquidity(shop: Shop, ids?: readonly string[]): Promise<LiquidityAnswers> {
  const { pools } = await buyPools(shop)
  const asked = ids === undefined ? pools : pools.filter(({ id }) => ids.includes(id))
  const rugChecks: LiquidityAnswers['rugChecks'][number][] = []
  for (const token of new Set(asked.map((pool) => pool.token))) rugChecks.push(await buyRugCheck(shop, token))
  return {
    rugChecks,
    history: await buyHistory(shop),
    live: await buyLive(shop),
    safe: await buyByClass(shop, 'safe'),
    held: await buyByClass(shop, 'held'),
    crews: await buyCrews(shop),
    snapshot: await buySnapshot(shop),
  }
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const liveMs = 4 * hourMs

/**
 * Throws at the first difference. A call with changed rules must throw, which shows that the check can fail.
 */
export function checkLiquidity(
  answers: LiquidityAnswers,
  recording: Recording,
  rules: OracleRules = oracleRules,
): void {
  const known = new Map<number, OracleAnswer>()
  const at = (answer: Readonly<{ generatedAt: number; ageSec: number }>) => {
    const blockAtMs = blockAtMsOf(answer)
    const expected = known.get(blockAtMs) ?? oracle(recording, { blockAtMs, rules })
    known.set(blockAtMs, expected)
    const recent = expected.bursts.filter((burst) => burst.at > blockAtMs - liveMs)
    return { ...expected, recent, blockAtMs }
  }
  const past = at(answers.history)
  assertBursts(
    answers.history.bursts,
    past.bursts.filter(({ outcome }) => outcome !== null),
    past,
  )
  const now = at(answers.live)
  assertBursts(answers.live.bursts, now.recent, now)
  for (const name of ['safe', 'held'] as const) {
    const then = at(answers[name])
    assertBursts(
      answers[name].bursts,
      then.recent.filter(({ lp }) => lp?.class === name),
      then,
    )
  }
  for (const check of answers.rugChecks) {
    const profiles = oracleProfiles(recording, { blockAtMs: blockAtMsOf(check), rules }).filter(
      ({ token }) => token === check.token,
    )
    assertProfiles(check.pools, profiles, blocksAt(recording, blockAtMsOf(check)))
    assert.equal(check.class, tokenClass(profiles) ?? 'unknown', `class of ${check.token}`)
  }
  checkCrews(answers.crews, at(answers.crews))
  checkSnapshot(answers.snapshot, at(answers.snapshot))
}

type Expected = OracleAnswer & Readonly<{ recent: OracleAnswer['bursts']; blockAtMs: number }>

function checkCrews(answer: LiquidityAnswers['crews'], { bursts }: Expected): void {
  const { walletsTracked, crews } = findCrews(bursts, 3)
  assert.equal(answer.walletsTracked, walletsTracked)
  const minutesAgo = (atMs: number) => Math.floor((answer.generatedAt - atMs) / minuteMs)
  const rows = crews.map(({ lastSeenAtMs, ...crew }) => {
    const lastSeenAt = lastSeenAtMs - (lastSeenAtMs % minuteMs)
    return { ...crew, lastSeenAt, lastSeenMinAgo: minutesAgo(lastSeenAt) }
  })
  const byWallet = (one: { wallet: string }, other: { wallet: string }) => (one.wallet < other.wallet ? -1 : 1)
  assert.deepEqual([...answer.crews].sort(byWallet), [...rows].sort(byWallet))
  const counts = answer.crews.map((crew) => crew.bursts)
  assert.deepEqual(
    counts,
    [...counts].sort((one, other) => other - one),
    'most bursts first',
  )
}

function checkSnapshot(answer: LiquidityAnswers['snapshot'], expected: Expected): void {
  const chain = answer[chainName]
  assertBursts(chain.bursts, expected.recent, expected)
  assertPools(
    chain.newPools,
    expected.pools.filter(({ createdAtMs }) => createdAtMs > expected.blockAtMs - hourMs),
    answer,
  )
  const { medianRet30m, medianRuleRet, ...counts } = chain.last24h
  const day = dayOf(expected.bursts)
  for (const name of ['medianRet30m', 'medianRuleRet'] as const)
    assert(isClose(chain.last24h[name] ?? Number.NaN, day[name] ?? Number.NaN), `${name}: ${chain.last24h[name]}`)
  assert.deepEqual(counts, { bursts: day.bursts, scored: day.scored, rugCheck: day.rugCheck })
}
