/**
 * Counts what happens in the simulated trades. The counts come from the trades and not from the plans behind
 * them.
 */
import { base58OfHex, hexOfBase58 } from '../../infra/base58.ts'
import { createWallets as chainAWallets } from '../../ingest/chain-a/simulated/identities.ts'
import { marketOf as chainAMarket } from '../../ingest/chain-a/simulated/plan.ts'
import { stepsOf as chainASteps } from '../../ingest/chain-a/simulated/steps.ts'
import { storiesOf, storyOf } from '../../ingest/chain-a/simulated/stories.ts'
import { createTokenHistories as chainATales } from '../../ingest/chain-a/simulated/token-histories.ts'
import { createWallets as chainBWallets, idOfMint } from '../../ingest/chain-b/simulated/identities.ts'
import { marketOf as chainBMarket, planOf } from '../../ingest/chain-b/simulated/plan.ts'
import { stepsOf as chainBSteps } from '../../ingest/chain-b/simulated/steps.ts'
import { createTokenHistories as chainBTales } from '../../ingest/chain-b/simulated/token-histories.ts'
import { createSimulatedChats } from '../../ingest/chats/simulated/simulator.ts'
import { deepestOf, type MarketStep, rememberSteps, stepsAt } from '../../ingest/simulated/market/steps.ts'
import type { PostContent } from '../../schemas/chats/facts.ts'

export type CensusSpan = Readonly<{ seed: number; fromMs: number; toMs: number; callsPerHour: number }>
type Counts = Map<string, number>
type Census = Readonly<{ launches: ReadonlyMap<string, number>; called: ReadonlyMap<string, number> }>

const hourSec = 3600
const stepsMax = 1_000_000
const count = (counts: Counts, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)

export async function censusOf(span: CensusSpan): Promise<Census> {
  const launches: Counts = new Map()
  for (const steps of launchedIn(span)) for (const name of traitsOf(steps)) count(launches, name)
  return { launches, called: await calledIn(span) }
}

function* launchedIn({ seed, fromMs, toMs }: CensusSpan): Generator<readonly MarketStep[]> {
  const world = { seed, walletAt: chainAWallets(seed) }
  for (let cohort = fromMs / 3_600_000; cohort < toMs / 3_600_000; cohort++)
    for (const story of storiesOf(chainAMarket({ seed }), cohort, world)) yield chainASteps(story.transactions())
}

/**
 * Returns the traits of a chain A token. They include how much liquidity was taken from each of its markets
 * (pools and curves), in one step and in total.
 */
function traitsOf(steps: readonly MarketStep[]): readonly string[] {
  const traits = new Set<string>(['token of chain A'])
  const first = steps[0] as MarketStep
  const markets = new Map<string, MarketStep[]>()
  for (const step of steps) markets.set(step.of, [...(markets.get(step.of) ?? []), step])
  if (markets.size > 1) traits.add('second market')
  if (first.source === 'curve' && steps.some(({ source }) => source === 'pool')) traits.add('graduated')
  if ((steps.at(-1) as MarketStep).second - first.second > 25.5 * hourSec) traits.add('traded after 25.5 h')
  for (const ofMarket of markets.values()) for (const trait of liquidityTraits(ofMarket)) traits.add(trait)
  return [...traits]
}

function* liquidityTraits(steps: readonly MarketStep[]): Generator<string> {
  let most = 0
  let [wasPulled, wasEmpty] = [false, false]
  for (const [index, { left, px, second }] of steps.entries()) {
    const before = steps[index - 1]?.left ?? left
    most = Math.max(most, left)
    const isPulled = left <= 0.2 * most
    yield* changeTraits(before, left, wasPulled)
    if (isPulled && !wasPulled) {
      yield 'pulled'
      if (left > 0.2 * before) yield 'pulled in several parts'
      if (second - (steps[0] as MarketStep).second > 24 * hourSec) yield 'pulled after 24 h'
    }
    if (wasPulled && wasEmpty && px !== null) yield 'priced again after it was empty'
    wasPulled ||= isPulled
    wasEmpty ||= px === null
  }
}

function* changeTraits(before: number, left: number, wasPulled: boolean): Generator<string> {
  const share = before > 0 ? left / before : 1
  if (share <= 0.04) yield 'all taken at once'
  else if (share <= 0.2) yield '80 to 96 % taken at once'
  else if (share < 0.51) yield 'half to four fifths taken at once'
  if (share >= 1.3) yield wasPulled ? 'refilled, what was left' : 'raised by a third or more'
}

async function calledIn({ seed, fromMs, toMs, callsPerHour }: CensusSpan): Promise<Counts> {
  const counts: Counts = new Map()
  const stepsOf = createReader(seed)
  const seen = new Set<string>()
  for (const { token, postedSec } of await callsIn({ seed, fromMs, toMs, callsPerHour })) {
    count(counts, 'posts that name an address')
    const steps = stepsOf(token)
    if (steps === null) count(counts, 'addresses that are no token')
    else for (const name of fatesOf(steps, postedSec)) count(counts, seen.has(token) ? `(again) ${name}` : name)
    seen.add(token)
  }
  return counts
}

type Named = Readonly<{ token: string; postedSec: number }>

async function callsIn({ seed, fromMs, toMs, callsPerHour }: CensusSpan): Promise<readonly Named[]> {
  const markets = [chainATales({ seed }), chainBTales({ seed })]
  const options = { seed, markets, callsPerHour, nowMs: () => toMs, span: { fromMs, toMs } }
  const known = {
    book: null,
    blocksFrom: async () => [],
    factIdsFrom: async () => new Map(),
    factsFrom: async () => [],
  }
  const named: Named[] = []
  for await (const { facts } of createSimulatedChats(options).source.ranges(null, known, new AbortController().signal))
    for (const { fact } of facts)
      if (fact.type === 'PostSeen')
        for (const token of tokensIn(fact.data)) named.push({ token, postedSec: fact.data.postedAtMs / 1000 })
  return named
}

function tokensIn({ text, entities, buttons }: PostContent): readonly string[] {
  const links = [...entities, ...buttons].map(({ url }) => url ?? '')
  const whole = [text.replaceAll('\n', ' '), text.replaceAll('\n', ''), ...links].join(' ')
  const ofA = whole.match(/0x[0-9a-f]{40}/g) ?? []
  const ofB = (whole.match(/[1-9A-HJ-NP-Za-km-z]{43,44}/g) ?? []).filter((each) => hexOfBase58(each, 32) !== null)
  return [...new Set([...ofA, ...ofB])]
}

function createReader(seed: number): (token: string) => readonly MarketStep[] | null {
  const [marketA, marketB] = [chainAMarket({ seed }), chainBMarket({ seed })]
  const [worldA, worldB] = [
    { seed, walletAt: chainAWallets(seed) },
    { seed, walletAt: chainBWallets(seed) },
  ]
  return rememberSteps((token: string) => {
    if (token.startsWith('0x')) {
      const story = storyOf(marketA, token, worldA)
      return story && chainASteps(story.transactions())
    }
    const mint = hexOfBase58(token, 32)
    const id = mint && idOfMint(seed, mint)
    const plan = id === null ? null : planOf(marketB, id)
    return plan === null || base58OfHex(plan.mint) !== token ? null : chainBSteps(plan, worldB)
  }, stepsMax)
}

/**
 * Returns what happens to the market (pool or curve) that gives the token's price 3 s after a post about the
 * token.
 */
function fatesOf(steps: readonly MarketStep[], postedSec: number): readonly string[] {
  const first = steps[0] as MarketStep
  const standing = stepsAt(steps, postedSec + 3)
  const anchor = deepestOf(standing)
  const chain = first.market.length === 66 && first.source === 'curve' ? 'chain B' : 'chain A'
  if (anchor === null) return [chain, standing.length === 0 ? 'not yet traded' : 'no price at the post']
  const isOver = (steps.at(-1) as MarketStep).second < postedSec
  return [
    chain,
    ...pullsOf(steps, { anchor, postedSec }),
    ...(chain === 'chain A' ? [`chain A, market ${ageOf(postedSec - first.second)}`] : []),
    ...curveFatesOf(steps, { anchor, postedSec }).map((fate) => `${chain}, ${fate}`),
    ...(isOver ? ['never traded again'] : []),
  ]
}

type Call = Readonly<{ anchor: MarketStep; postedSec: number }>

function* pullsOf(steps: readonly MarketStep[], { anchor, postedSec }: Call): Generator<string> {
  const first = steps[0] as MarketStep
  const pulled = steps.find(
    ({ second, of, left }) => second > postedSec + 3 && of === anchor.of && left <= 0.2 * anchor.left,
  )
  if (pulled) yield pulledAfter(pulled.second - postedSec)
  if (pulled && steps.some(({ of, second }) => of !== anchor.of && second > pulled.second))
    yield 'another market after its pull'
  if (steps.some(({ second, of, left }) => second <= postedSec && of === first.of && left <= 0.2))
    yield anchor.of === first.of ? 'on a pulled market' : 'on the second market'
}

function curveFatesOf(steps: readonly MarketStep[], { anchor, postedSec }: Call): readonly string[] {
  if (anchor.of !== anchor.market) return ['in the pool of a curve']
  if (anchor.source !== 'curve') return []
  const graduates = steps.some(({ source, second }) => source === 'pool' && second > postedSec)
  return ['on the curve', ...(graduates ? ['graduates later'] : [])]
}

function pulledAfter(sec: number): string {
  if (sec < 60) return 'pulled within a minute'
  return sec <= 30 * hourSec ? 'pulled 1 min to 30 h later' : 'pulled later'
}

function ageOf(sec: number): string {
  if (sec > 24.5 * hourSec) return 'older than 24.5 h'
  return sec > 20 * hourSec ? '20 to 24.5 h old' : 'younger'
}
