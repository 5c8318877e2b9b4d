/** The free routes: what the service is, what it sells, how it is. */
import type { ChainAViews } from '../../projections/chain-a/queries/chain-a-views.ts'
import type { StageCut as Cut } from '../../projections/cuts.ts'
import type { PaymentGate } from '../payments/payment.ts'
import { pricesUsdMicros } from '../payments/prices.ts'
import { type Route, routeIdOf } from '../route.ts'
import { agesAt } from './freshness.ts'
import type { Param, Params } from './params.ts'

const freeRoutes = ['GET /', 'GET /health', 'GET /v1/health'] as const

type InfoSources = Readonly<{ views: ChainAViews; routes: readonly Route[]; gate: PaymentGate }>

export async function serviceInfo(cut: Cut | null, { views, routes, gate }: InfoSources) {
  return {
    service: 'Launch Data Service',
    about:
      'Token launches as they happen: sudden buying, how such signals ended, who can pull the liquidity, minute-by-minute pool flow. Data only, no trading advice. No keys, no accounts: each call is paid with x402; a failed call is never charged.',
    ...sourceNote(cut),
    payments: gate.describe(),
    endpoints: routes.map((route) => ({
      route: routeIdOf(route),
      price: pricesUsdMicros[routeIdOf(route)] / 1_000_000,
      description: route.description,
      params: paramDocs(route.params),
    })),
    free: freeRoutes,
    data:
      cut === null
        ? { generatedAt: null, ageSec: null, bursts24h: 0, poolsTracked: 0 }
        : { generatedAt: cut.atMs, ageSec: cutAgeSec(cut), ...(await views.counts(cut)) },
  }
}

/** `status`: `ok`; `warming_up` while nothing can be answered; `stale` when the newest data is older than two minutes. */
export function healthInfo(cut: Cut | null, nowMs: number) {
  if (cut === null) return { status: 'warming_up', dataAgeSec: null }
  const ageMs = agesAt(cut, nowMs).chainA
  return {
    status: ageMs <= 120_000 ? 'ok' : 'stale',
    dataAgeSec: Math.floor(ageMs / 1000),
    generatedAt: cut.atMs,
    block: cut.blockNumber,
    ...sourceNote(cut),
  }
}

const cutAgeSec = (cut: Cut): number => Math.max(0, Math.floor((cut.atMs - cut.blockAtMs) / 1000))

function sourceNote(cut: Cut | null) {
  if (cut?.source !== 'simulated') return { source: cut?.source ?? null }
  return {
    source: cut.source,
    notice: 'SIMULATED MARKET: no chain is configured. Every token, pool and trade here is made up.',
  }
}

function paramDocs(params: Params) {
  return Object.entries(params).map(([name, param]) => ({
    name,
    in: param.in,
    type: param.type,
    ...boundsOf(param),
    description: isCount(param) ? `${param.description}; a fraction is floored` : param.description,
  }))
}

const isCount = (param: Param): boolean => param.type === 'number' && param.isCount

function boundsOf(param: Param) {
  if (param.in === 'path') return { pattern: param.pattern.source }
  if (param.type === 'number') return { min: param.min, max: param.max, default: param.default }
  return { values: param.values, default: param.default }
}
