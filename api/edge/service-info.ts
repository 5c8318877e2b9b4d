/** The bodies of the free routes about the service: what the service is, what it sells, and its health. */

import type { BotCards } from '../../projections/chats/queries/bot-cards.ts'
import type { StageCut } from '../../projections/cuts.ts'
import { type EpochMs, hourMs, minuteMs } from '../../schemas/units.ts'
import type { FreeRoute } from '../free-route.ts'
import type { PaymentGate } from '../payments/payment.ts'
import { type Route, routeIdOf, stageCutOf } from '../route.ts'
import type { Answers } from '../sale/answers.ts'
import { type ExampleSubjects, pathWith } from '../sale/example-subjects.ts'
import { dataAgeMs } from '../sale/freshness.ts'
import type { Param, Params } from '../sale/params.ts'
import type { ApiSource, Counts } from '../source.ts'
import type { GapCountsAnswer } from '../trade-gaps.ts'

/** The parts of a chain that the free routes use. */
export type DescribedSource = Omit<ApiSource, 'routes' | 'headlineOf'>

/**
 * A chain and its newest state with complete data (`cut`). It is null while the chain has no data. A common
 * state of all chains would be as old as that of the slowest chain.
 */
type ChainState = Readonly<{ chain: DescribedSource; cut: StageCut | null }>

export const statesOf = (chains: readonly DescribedSource[], answers: Answers): Promise<readonly ChainState[]> =>
  Promise.all(
    chains.map(async (chain) => {
      const cut = await answers.newestCut([chain.stage])
      return { chain, cut: cut && stageCutOf(cut, chain.stage) }
    }),
  )

/**
 * Details of a chain for the health route. A detail is null if the chain does not have it, or if its query
 * failed.
 */
type Details = Readonly<{ botCards: readonly BotCards[] | null; gapCounts: GapCountsAnswer | null }>
type HealthState = ChainState & Partial<Details>
export type HealthDetails = { readonly [Name in keyof Details]: QueryOf<Details[Name]> }

/** Adds the details to the health of each chain. A detail whose query fails is null. */
export const withDetails = (states: readonly ChainState[], detailsOf: HealthDetails): Promise<readonly HealthState[]> =>
  Promise.all(
    states.map(async (state) => {
      const { chain, cut } = state
      if (cut === null) return state
      const [botCards, gapCounts] = await Promise.all([
        detailsOf.botCards(chain, cut).catch(() => null),
        detailsOf.gapCounts(chain, cut).catch(() => null),
      ])
      return { ...state, botCards, gapCounts }
    }),
  )

type QueryOf<Answer> = (chain: ChainState['chain'], cut: StageCut) => Promise<Answer>
type CountsOf = QueryOf<Counts>

const noCounts: Counts = { bursts24h: 0, poolsTracked: 0 }

export const createCounts = (): CountsOf => onceACut(async (chain, cut) => (await chain.counts?.(cut)) ?? noCounts)

/** The details are queried at most once a minute for all clients together, because nobody pays for them. */
export const createHealthDetails = (): HealthDetails => ({
  botCards: onceACut(async (chain, cut) => (await chain.botCards?.(cut)) ?? null, minuteMs),
  gapCounts: onceACut(async (chain, cut) => (await chain.gapCounts?.(cut)) ?? null, minuteMs),
})

/**
 * Caches the answers of `ask`, because otherwise anyone could cause any number of queries. The times of cuts
 * (`atMs`) are divided into spans of `spanMs`. Within one span, `ask` is called at most once per chain. By
 * default each cut is its own span.
 */
function onceACut<Answer>(ask: QueryOf<Answer>, spanMs = 1): QueryOf<Answer> {
  const known = new Map<ChainState['chain'], Readonly<{ span: number; answer: Promise<Answer> }>>()
  return (chain, cut) => {
    const span = Math.floor(cut.atMs / spanMs)
    const found = known.get(chain)
    if (found?.span === span) return found.answer
    const entry = { span, answer: ask(chain, cut) }
    known.set(chain, entry)
    // A failure is not cached, so the next request queries again.
    entry.answer.catch(() => {
      if (known.get(chain) === entry) known.delete(chain)
    })
    return entry.answer
  }
}

type InfoSources = Readonly<{
  states: readonly ChainState[]
  countsOf: CountsOf
  routes: readonly Route[]
  free: readonly Pick<FreeRoute, 'patterns'>[]
  gate: PaymentGate
  subjects: ExampleSubjects
  publicBaseUrl: string
  nowMs: EpochMs
}>

export async function serviceInfo(sources: InfoSources) {
  const { states, countsOf, routes, free, gate, nowMs } = sources
  const cut = oldestOf(states)
  return {
    service: 'Launch Data Service',
    about:
      'Token launches as they happen: sudden buying, how such signals ended, who can pull the liquidity, minute-by-minute pool flow. Data only, no trading advice. No keys, no accounts: each call is paid with x402; a failed call is never charged.',
    ...sourceNote(states),
    payments: gate.describe(),
    endpoints: await Promise.all(routes.map((route) => endpointInfo(route, sources))),
    free: free.flatMap(({ patterns }) => patterns.map((pattern) => `GET ${pattern}`)),
    data: {
      generatedAt: cut?.atMs ?? null,
      ageSec: cut && Math.floor(dataAgeMs(cut, nowMs) / 1000),
      coinPriceAgeSec: coinPriceAgeSecOf(states, nowMs),
      ...(await sumOfCounts(states, countsOf)),
    },
  }
}

async function endpointInfo(route: Route, { subjects, publicBaseUrl }: InfoSources) {
  const values = await subjects.find(route)
  return {
    route: routeIdOf(route),
    url: values && `${publicBaseUrl}${pathWith(route, values)}`,
    price: route.priceUsdMicros / 1_000_000,
    description: route.description,
    params: paramDocs(route.params),
  }
}

/** `warming_up`: there is no data yet. `stale`: the data is older than two minutes. */
type Status = 'ok' | 'warming_up' | 'stale'

type WrongClocks = ReturnType<PaymentGate['clockDifferences']>

/**
 * The health of the service is the health of the chain with the oldest data. While a chain has no data, the health is `warming_up`.
 * `chains` contains the health of each chain by name.
 */
export function healthInfo(states: readonly HealthState[], nowMs: EpochMs, wrongClocks: WrongClocks = []) {
  const clock = wrongClocks.length > 0 && { clock: wrongClocks }
  const chains = Object.fromEntries(states.map((state) => [nameOf(state.chain), chainHealth(state, nowMs)]))
  const cut = oldestOf(states)
  if (cut === null || states.some((state) => state.cut === null))
    return { status: 'warming_up' satisfies Status, dataAgeSec: null, ...clock, chains }
  const { status, dataAgeSec, generatedAt } = cutHealth(cut, nowMs)
  return { status, dataAgeSec, generatedAt, ...sourceNote(states), ...clock, chains }
}

export const nameOf = ({ stage, snapshot }: Pick<DescribedSource, 'stage' | 'snapshot'>): string =>
  snapshot?.wireName ?? stage.name

const chainHealth = ({ cut, botCards, gapCounts }: HealthState, nowMs: EpochMs) => ({
  ...(cut === null ? { status: 'warming_up' satisfies Status, dataAgeSec: null } : cutHealth(cut, nowMs)),
  ...(gapCounts && { gaps24h: gapCounts }),
  ...(botCards && { cards: cardsHealth(botCards) }),
})

function cardsHealth(bots: readonly BotCards[]) {
  const sumOf = (name: 'posts' | 'unread') => bots.reduce((sum, each) => sum + each[name], 0)
  const total = shareOf({ posts: sumOf('posts'), unread: sumOf('unread') })
  return { ...total, bots: bots.map(({ bot, ...counts }) => ({ bot, ...shareOf(counts) })) }
}

const shareOf = ({ posts, unread }: Omit<BotCards, 'bot'>) => ({
  posts,
  unread,
  unreadShare: posts === 0 ? null : unread / posts,
})

function cutHealth(cut: StageCut, nowMs: EpochMs) {
  const ageMs = dataAgeMs(cut, nowMs)
  const status: Status = ageMs <= 120_000 ? 'ok' : 'stale'
  return { status, dataAgeSec: Math.floor(ageMs / 1000), generatedAt: cut.atMs, block: cut.blockNumber }
}

const cutsOf = (states: readonly ChainState[]): readonly StageCut[] => states.flatMap(({ cut }) => cut ?? [])

const oldestOf = (states: readonly ChainState[]): StageCut | null =>
  cutsOf(states).reduce<StageCut | null>(
    (oldest, cut) => (oldest !== null && oldest.blockAtMs <= cut.blockAtMs ? oldest : cut),
    null,
  )

/**
 * The age of the oldest coin price in seconds, or null if there is no price. If a price feed stops, answers
 * keep the last price of the feed. Then only this age shows that the feed stopped.
 */
function coinPriceAgeSecOf(states: readonly ChainState[], nowMs: EpochMs): number | null {
  const ages = cutsOf(states).flatMap(({ coinPrice }) => (coinPrice === null ? [] : nowMs - coinPrice.atMs))
  return ages.length === 0 ? null : Math.max(0, Math.floor(Math.max(...ages) / 1000))
}

/** Sums the counts of all chains that have data. */
async function sumOfCounts(states: readonly ChainState[], countsOf: CountsOf): Promise<Counts> {
  const known = await Promise.all(states.flatMap(({ chain, cut }) => (cut === null ? [] : countsOf(chain, cut))))
  const sumOf = (name: keyof Counts) => known.reduce((sum, counts) => sum + counts[name], 0)
  return { bursts24h: sumOf('bursts24h'), poolsTracked: sumOf('poolsTracked') }
}

/** Adds a notice if the data of one chain is simulated, so that nobody takes this data for a real market. */
function sourceNote(states: readonly ChainState[]) {
  const sources = cutsOf(states).map(({ source }) => source)
  if (!sources.includes('simulated')) return { source: oldestOf(states)?.source ?? null }
  return {
    source: 'simulated',
    notice: 'SIMULATED MARKET: no chain is configured. Every token, pool and trade here is made up.',
  }
}

function paramDocs(params: Params) {
  return Object.entries(params).map(([name, param]) => ({
    name,
    in: param.in,
    type: typeOf(param),
    ...boundsOf(param),
    description: descriptionOf(param),
  }))
}

function typeOf({ type }: Param): 'number' | 'string' {
  if (type === 'instant' || type === 'cursor') return 'string'
  return type === 'epochMs' ? 'number' : type
}

const descriptionOf = ({ type, description }: Param): string =>
  type === 'number' ? `${description}; a fraction is floored` : description

function boundsOf(param: Param) {
  if (param.in === 'path') return { pattern: param.pattern.source }
  if (param.type === 'instant') return { default: `${param.agoMs / hourMs} h before the answer` }
  if (param.type === 'epochMs' || param.type === 'cursor') return {}
  if (param.type === 'number') return { min: param.min, max: param.max, default: param.default }
  return { values: param.values, ...(param.default === null ? {} : { default: param.default }) }
}
