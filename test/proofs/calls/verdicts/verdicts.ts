/** Buys verdicts about a sample of tokens over HTTP, and compares them with a recount from the facts. */
import type { Database } from '../../../../infra/clickhouse/database.ts'
import type { ChainARecord } from '../../../../schemas/chain-a/facts.ts'
import { chainAStage } from '../../../../schemas/chain-a/stage.ts'
import type { ChainBRecord } from '../../../../schemas/chain-b/facts.ts'
import { chainBStage } from '../../../../schemas/chain-b/stage.ts'
import type { Stage } from '../../../../schemas/stage.ts'
import { compareBodies, createTally, type Tally } from '../../answers/compare.ts'
import type { Shop } from '../../answers/shop.ts'
import { twoAtATime } from '../../answers/two-at-a-time.ts'
import type { Logged } from '../derive/project.ts'
import { precallsOf } from '../precalls.ts'
import type { Recount } from '../recount.ts'
import { callersAt } from './callers.ts'
import { type ChainAToken, chainAToken, chainAVerdict, type Precall } from './chain-a.ts'
import { chainBVerdict, openChainB } from './chain-b.ts'
import { cutOf, factsOf, someTokens } from './facts.ts'
import { bentVerdicts, type VerdictRules, verdictRules } from './rules.ts'
import { areRulesTaken } from './rules-taken.ts'
import { aimedCut, sampleOfChainA, sampleOfChainB } from './sample.ts'

/** `body` is null if the token is not tracked. */
export type SoldVerdict = Readonly<{ chain: 'a' | 'b'; token: string; cutAtMs: number; body: unknown }>

const pathOf = ({ chain, token }: Pick<SoldVerdict, 'chain' | 'token'>): string =>
  chain === 'a' ? `/v1/rh/token/${token}/verdict` : `/v1/sol/token/${token}/verdict`

type Buying = Readonly<{ world: Logged; database: Database; cutAtMs: number }>

/** Buys verdicts for the time `cutAtMs`. For some tokens of chain A, also buys verdicts for an earlier time. */
export async function buyVerdicts(shop: Shop, { world, database, cutAtMs }: Buying): Promise<readonly SoldVerdict[]> {
  const some = async (stage: unknown) => {
    const tokens = await someTokens(world, stage as Stage)
    const step = Math.max(1, Math.floor(tokens.length / 7))
    return tokens.filter((_, at) => at % step === Math.floor(cutAtMs / 3_600_000) % step)
  }
  const sampling = { database, cutAtMs }
  const ofChainA = await sampleOfChainA({ ...sampling, someTokens: await some(chainAStage) })
  const ofChainB = await sampleOfChainB({ ...sampling, someTokens: await some(chainBStage) })
  const aimed = (await aimedCut(database, cutAtMs)).map((one) => ({ chain: 'a' as const, ...one }))
  const others = [
    ...ofChainA.map((token) => ({ chain: 'a' as const, token, cutAtMs })),
    ...ofChainB.map((token) => ({ chain: 'b' as const, token, cutAtMs })),
  ]
  const seek = async (one: Omit<SoldVerdict, 'body'>) => ({
    ...one,
    body: await shop.seek(pathOf(one), one.cutAtMs),
  })
  // The shop has one clock, so the verdicts for the earlier time are bought first.
  return [...(await twoAtATime(aimed, seek)), ...(await twoAtATime(others, seek))]
}

type Known = Readonly<{ world: Logged; counted: Recount }>

/** Compares the sold verdicts with the recount under these rules. It returns one tally per route. */
type VerdictCheck = (rules: VerdictRules) => Promise<ReadonlyMap<string, Tally>>

const shownMost = 12

/**
 * `isWhole`: the run is long enough that it must use every rule. `precalls` are bodies of answers. `seen`:
 * the changed rules that have made a difference.
 */
type Examining = Known &
  Readonly<{
    isLast: boolean
    isWhole: boolean
    precalls: readonly unknown[]
    seen: Set<string>
    print: (text: string) => void
  }>

/**
 * Returns false if a field differs or a route has no rows. At the end of the run, also returns false if a
 * changed rule has made no difference, or if a rule was never used.
 */
export async function examineVerdicts(
  sold: readonly SoldVerdict[],
  { isLast, isWhole, precalls, seen, print, ...known }: Examining,
): Promise<boolean> {
  const check = await openVerdictCheck(sold, known)
  const found = await check(verdictRules)
  for (const [route, { rows, values, differences }] of found) {
    print(`${route}: ${rows} rows, ${values} values, ${differences.length} differences`)
    for (const difference of differences.slice(0, shownMost)) print(`  ${difference}`)
  }
  print(`of them ${kindsOf(sold)}`)
  const all = [...found.values()]
  let isRight = all.every(({ rows, differences }) => rows > 0 && differences.length === 0)
  if (isLast) isRight = (areRulesTaken({ verdicts: sold, precalls }, print) || !isWhole) && isRight
  const without = new Set(all.flatMap(({ differences }) => differences))
  const differencesBy = async (rules: VerdictRules) => {
    const otherwise = [...(await check(rules)).values()].flatMap(({ differences }) => differences)
    return otherwise.filter((difference) => !without.has(difference)).length
  }
  const isThere = (needs: Needs | undefined) => needs === undefined || hasScored(known.counted, sold, needs)
  const areSeen = await areBendsSeen({ isThere, differencesBy }, { seen, print })
  return isRight && (areSeen || !isLast)
}

type Needs = readonly [least: number, most: number]
type Bending = Readonly<{
  isThere(needs: Needs | undefined): boolean
  differencesBy(rules: VerdictRules): Promise<number>
}>

/**
 * Tries the changed rules that have made no difference so far. Returns true if every rule has now made a
 * difference. Skips a rule if the run does not have what `needs` asks for.
 */
async function areBendsSeen(
  { isThere, differencesBy }: Bending,
  { seen, print }: Pick<Examining, 'seen' | 'print'>,
): Promise<boolean> {
  let areSeen = true
  for (const { name, rules, needs } of bentVerdicts.filter((one) => !seen.has(one.name))) {
    if (!isThere(needs)) {
      print(`${name}: there is nothing yet that it is about`)
      continue
    }
    const count = await differencesBy(rules)
    print(`${name}: ${count} differences${count > 0 ? '' : ', so it is NOT SEEN'}`)
    if (count > 0) seen.add(name)
    else areSeen = false
  }
  return areSeen
}

function hasScored({ scores }: Recount, sold: readonly SoldVerdict[], [least, most]: Needs): boolean {
  const cutAtMs = Math.max(...sold.map((one) => one.cutAtMs))
  return scores.some(
    ({ chain, unscored, knownAtMs, mention: { tokenCount } }) =>
      chain === 'chain-b' && unscored === null && knownAtMs <= cutAtMs && tokenCount >= least && tokenCount <= most,
  )
}

async function openVerdictCheck(sold: readonly SoldVerdict[], known: Known): Promise<VerdictCheck> {
  const { world } = known
  const tokensOf = (chain: SoldVerdict['chain']) =>
    new Set(sold.filter((one) => one.chain === chain).map(({ token }) => token))
  const reading = <Of>(stage: Of, chain: SoldVerdict['chain']) => {
    return { stage: stage as unknown as Stage, tokens: tokensOf(chain) }
  }
  const factsOfA = await factsOf<ChainARecord>(world, reading(chainAStage, 'a'))
  const chainB = openChainB(await factsOf<ChainBRecord>(world, reading(chainBStage, 'b')))
  const tokens = new Map<string, ChainAToken>()
  const tokenOf = (token: string) => {
    const its = tokens.get(token) ?? chainAToken(factsOfA, token)
    tokens.set(token, its)
    return its
  }
  const cuts = [...new Set(sold.map(({ cutAtMs }) => cutAtMs))]
  const precalls = new Map<number, ReadonlyMap<string, unknown>>()
  for (const cutAtMs of cuts) {
    precalls.set(cutAtMs, precallsOf({ counted: known.counted, cutAtMs }))
  }
  return async (rules) => {
    const byRoute = { a: createTally(), b: createTally() }
    for (const cutAtMs of cuts) {
      const cutA = cutOf(factsOfA.ticks, cutAtMs)
      const cutB = cutOf(chainB.facts.ticks, cutAtMs)
      const callers = callersAt(known.counted, { cut: cutB, rules })
      for (const one of sold.filter((each) => each.cutAtMs === cutAtMs)) {
        const { chain, token, body } = one
        const precall = (precalls.get(cutAtMs)?.get(token) ?? null) as Precall | null
        const expected =
          chain === 'a'
            ? chainAVerdict(tokenOf(token), { cut: cutA, rules, precall })
            : chainBVerdict(chainB, token, { cut: cutB, rules, callers })
        const tally = byRoute[chain]
        compareBodies(body, expected, { tally, ids: new Map(), where: `${pathOf(one)} at ${cutAtMs}` })
      }
    }
    const rows = (chain: SoldVerdict['chain']) => sold.filter((one) => one.chain === chain).length
    return new Map([
      ['verdicts of chain A', { ...byRoute.a, rows: rows('a') }],
      ['verdicts of chain B', { ...byRoute.b, rows: rows('b') }],
    ])
  }
}

/** The number of sold verdicts of each kind. It shows whether the sample is rich enough. */
function kindsOf(sold: readonly SoldVerdict[]): string {
  const counts = new Map<string, number>()
  for (const kind of sold.flatMap(kindsIn)) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return [...counts].map(([kind, times]) => `${kind} ${times}`).join(', ')
}

type Body = Readonly<Record<string, unknown>>

/** Returns the kinds that a verdict belongs to. `rules-taken.ts` counts the rules of verdicts. */
function kindsIn({ chain, body }: SoldVerdict): readonly string[] {
  if (body === null) return [`${chain}: not tracked`]
  const told = ['scanner', 'lastTrade', 'precall'].filter((name) => ((body as Body)[name] ?? null) !== null)
  return ['sold', ...told].map((kind) => `${chain}: ${kind}`)
}
