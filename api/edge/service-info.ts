/** The free routes: what the service is, what it sells, and its health. */
import type { StageCut } from '../../projections/cuts.ts'
import type { GapCounts } from '../../projections/missing-trades.ts'
import type { ApiChain, Counts } from '../chain.ts'
import type { FreeRoute } from '../free-route.ts'
import type { PaymentGate } from '../payments/payment.ts'
import { type Route, routeIdOf, stageCutOf } from '../route.ts'
import type { Answers } from '../sale/answers.ts'
import { dataAgeMs } from '../sale/freshness.ts'
import type { Param, Params } from '../sale/params.ts'

/** What the free routes tell of a chain. */
export type ToldChain = Pick<ApiChain, 'stage' | 'counts' | 'gapCounts' | 'snapshot' | 'sample' | 'desk'>

/** A chain at its own newest cut: one that is late or not there yet does not hide the others. */
type ChainState = Readonly<{ chain: ToldChain; cut: StageCut | null }>

export const statesOf = (chains: readonly ToldChain[], answers: Answers): Promise<readonly ChainState[]> =>
  Promise.all(
    chains.map(async (chain) => {
      const cut = await answers.newestCut([chain.stage])
      return { chain, cut: cut && stageCutOf(cut, chain.stage) }
    }),
  )

type CountsOf<Of = Counts> = (chain: ChainState['chain'], cut: StageCut) => Promise<Of>

/** Of each chain, asked once a cut: anybody may ask for them. */
export function createCounts<Of>(ask: CountsOf<Of>): CountsOf<Of> {
  const known = new Map<ChainState['chain'], Readonly<{ atMs: number; counts: Promise<Of> }>>()
  return (chain, cut) => {
    const found = known.get(chain)
    if (found?.atMs === cut.atMs) return found.counts
    const asked = { atMs: cut.atMs, counts: ask(chain, cut) }
    known.set(chain, asked)
    // A failure is not kept.
    asked.counts.catch(() => {
      if (known.get(chain) === asked) known.delete(chain)
    })
    return asked.counts
  }
}

type InfoSources = Readonly<{
  states: readonly ChainState[]
  countsOf: CountsOf
  routes: readonly Route[]
  free: readonly Pick<FreeRoute, 'patterns'>[]
  gate: PaymentGate
  nowMs: number
}>

export async function serviceInfo({ states, countsOf, routes, free, gate, nowMs }: InfoSources) {
  const cut = oldestOf(states)
  return {
    service: 'Launch Data Service',
    about:
      'Token launches as they happen: sudden buying, how such signals ended, who can pull the liquidity, minute-by-minute pool flow. Data only, no trading advice. No keys, no accounts: each call is paid with x402; a failed call is never charged.',
    ...sourceNote(states),
    payments: gate.describe(),
    endpoints: routes.map((route) => ({
      route: routeIdOf(route),
      price: route.priceUsdMicros / 1_000_000,
      description: route.description,
      params: paramDocs(route.params),
    })),
    free: free.flatMap(({ patterns }) => patterns.map((pattern) => `GET ${pattern}`)),
    data: {
      generatedAt: cut?.atMs ?? null,
      ageSec: cut && Math.floor(dataAgeMs(cut, nowMs) / 1000),
      coinPriceAgeSec: coinPriceAgeSecOf(states, nowMs),
      ...(await sumOfCounts(states, countsOf)),
    },
  }
}

type HealthSources = Readonly<{ gapsOf: CountsOf<GapCounts | null>; nowMs: number }>

/** `warming_up`: there is no data yet. `stale`: it is older than two minutes. */
type Status = 'ok' | 'warming_up' | 'stale'

/**
 * The chain with the oldest data, and each chain by its name in answers: a chain that stands still takes nothing from the
 * answers of the others. `warming_up` as a whole while one has no data yet.
 */
export async function healthInfo(states: readonly ChainState[], { gapsOf, nowMs }: HealthSources) {
  const healths = states.map(async (state) => {
    return [nameOf(state), { ...chainHealth(state, nowMs), ...(await gapHealth(state, gapsOf)) }] as const
  })
  const chains = Object.fromEntries(await Promise.all(healths))
  const cut = oldestOf(states)
  if (cut === null || states.some((state) => state.cut === null))
    return { status: 'warming_up' satisfies Status, dataAgeSec: null, chains }
  const { status, dataAgeSec, generatedAt } = cutHealth(cut, nowMs)
  return { status, dataAgeSec, generatedAt, ...sourceNote(states), chains }
}

/** Before there is data nothing is known of gaps either. */
async function gapHealth({ chain, cut }: ChainState, gapsOf: HealthSources['gapsOf']) {
  const counts = cut === null ? null : await gapsOf(chain, cut)
  return counts === null ? {} : { gaps24h: counts }
}

const nameOf = ({ chain: { stage, snapshot } }: ChainState): string => snapshot?.wireName ?? stage.name

const chainHealth = ({ cut }: ChainState, nowMs: number) =>
  cut === null ? { status: 'warming_up' satisfies Status, dataAgeSec: null } : cutHealth(cut, nowMs)

function cutHealth(cut: StageCut, nowMs: number) {
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

/** Of the oldest price. A feed that stopped is seen here: answers keep its last price. Null: there is none. */
function coinPriceAgeSecOf(states: readonly ChainState[], nowMs: number): number | null {
  const ages = cutsOf(states).flatMap(({ coinPrice }) => (coinPrice === null ? [] : nowMs - coinPrice.atMs))
  return ages.length === 0 ? null : Math.max(0, Math.floor(Math.max(...ages) / 1000))
}

/** The sums over the chains that have data. */
async function sumOfCounts(states: readonly ChainState[], countsOf: CountsOf): Promise<Counts> {
  const known = await Promise.all(states.flatMap(({ chain, cut }) => (cut === null ? [] : countsOf(chain, cut))))
  const sumOf = (name: keyof Counts) => known.reduce((sum, counts) => sum + counts[name], 0)
  return { bursts24h: sumOf('bursts24h'), poolsTracked: sumOf('poolsTracked') }
}

/** Where one chain is simulated, nothing here may be taken for a market. */
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
    type: param.type === 'instant' ? ('string' as const) : param.type,
    ...boundsOf(param),
    description: descriptionOf(param),
  }))
}

const descriptionOf = ({ type, description }: Param): string =>
  type === 'number' ? `${description}; a fraction is floored` : description

function boundsOf(param: Param) {
  if (param.in === 'path') return { pattern: param.pattern.source }
  if (param.type === 'instant') return { default: `${param.agoMs / 3_600_000} h before the answer` }
  if (param.type === 'number') return { min: param.min, max: param.max, default: param.default }
  return { values: param.values, ...(param.default === null ? {} : { default: param.default }) }
}
