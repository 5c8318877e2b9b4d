/** Verdicts about a sample of tokens, bought over HTTP, against a recount from their facts. */
import type { Database } from '../../../../infra/clickhouse/database.ts'
import type { ChainARecord } from '../../../../schemas/chain-a/facts.ts'
import { chainAStage } from '../../../../schemas/chain-a/stage.ts'
import type { ChainBRecord } from '../../../../schemas/chain-b/facts.ts'
import { chainBStage } from '../../../../schemas/chain-b/stage.ts'
import type { Stage } from '../../../../schemas/stage.ts'
import { compareBodies, createTally, type Tally } from '../../answers/compare.ts'
import type { Shop } from '../../answers/shop.ts'
import { precallsOf } from '../answers.ts'
import type { World } from '../project.ts'
import type { Rules } from '../recount.ts'
import { callersAt } from './callers.ts'
import { type ChainAToken, chainAToken, chainAVerdict, type Precall } from './chain-a.ts'
import { chainBVerdict, openChainB } from './chain-b.ts'
import { cutOf, factsOf, someTokens } from './facts.ts'
import type { VerdictRules } from './rules.ts'
import { aimedCut, sampleOfChainA, sampleOfChainB } from './sample.ts'

/** `body` null: nothing is sold, the token is not tracked. */
type SoldVerdict = Readonly<{ chain: 'a' | 'b'; token: string; cutAtMs: number; body: unknown }>

const pathOf = ({ chain, token }: Pick<SoldVerdict, 'chain' | 'token'>): string =>
  chain === 'a' ? `/v1/rh/token/${token}/verdict` : `/v1/sol/token/${token}/verdict`

type Buying = Readonly<{ world: World; database: Database; cuts: readonly number[] }>

export async function buyVerdicts(shop: Shop, { world, database, cuts }: Buying): Promise<readonly SoldVerdict[]> {
  const sold: SoldVerdict[] = []
  const ofChainA = await someTokens(world, chainAStage as unknown as Stage)
  const ofChainB = await someTokens(world, chainBStage as unknown as Stage)
  const aimed = await aimedCut(database, Math.max(...cuts))
  for (const { token, cutAtMs } of aimed)
    sold.push({ chain: 'a', token, cutAtMs, body: await shop.seek(pathOf({ chain: 'a', token }), cutAtMs) })
  for (const [index, cutAtMs] of cuts.entries()) {
    const some = (tokens: readonly string[]) => {
      const step = Math.max(1, Math.floor(tokens.length / 7))
      return tokens.filter((_, at) => at % step === index)
    }
    const samples = {
      a: await sampleOfChainA({ database, cutAtMs, someTokens: some(ofChainA) }),
      b: await sampleOfChainB({ database, cutAtMs, someTokens: some(ofChainB) }),
    }
    for (const chain of ['a', 'b'] as const)
      for (const token of samples[chain])
        sold.push({ chain, token, cutAtMs, body: await shop.seek(pathOf({ chain, token }), cutAtMs) })
  }
  return sold
}

type Known = Readonly<{ world: World; database: Database; suffix: string; callRules: Rules }>

/** Holds what was sold against the recount under these rules: one tally for each route. */
export type VerdictCheck = (rules: VerdictRules) => Promise<ReadonlyMap<string, Tally>>

export async function openVerdictCheck(sold: readonly SoldVerdict[], known: Known): Promise<VerdictCheck> {
  const { world, database, suffix } = known
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
  for (const cutAtMs of cuts)
    precalls.set(cutAtMs, await precallsOf({ database, suffix, cutAtMs, rules: known.callRules }))
  return async (rules) => {
    const byRoute = { a: createTally(), b: createTally() }
    for (const cutAtMs of cuts) {
      const cutA = cutOf(factsOfA.ticks, cutAtMs)
      const cutB = cutOf(chainB.facts.ticks, cutAtMs)
      const callers = await callersAt(database, { suffix, cut: cutB, rules })
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

/** How many of each kind were sold, so that a sample that says little is seen. */
export function kindsOf(sold: readonly SoldVerdict[]): string {
  const counts = new Map<string, number>()
  for (const kind of sold.flatMap(kindsIn)) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return [...counts].map(([kind, times]) => `${kind} ${times}`).join(', ')
}

type Body = Readonly<{
  reasons?: readonly Readonly<{ rule: string }>[]
  trader?: Readonly<{ action: string }>
  [part: string]: unknown
}>

function kindsIn({ chain, body }: SoldVerdict): readonly string[] {
  if (body === null) return [`${chain}: not tracked`]
  const { reasons = [], trader, ...parts } = body as Body
  const told = ['safety', 'scanner', 'lastTrade', 'precall'].filter((name) => (parts[name] ?? null) !== null)
  const kinds = ['sold', ...reasons.map(({ rule }) => rule), ...(trader ? [trader.action] : []), ...told]
  return kinds.map((kind) => `${chain}: ${kind}`)
}
