/**
 * A test server of the HTTP API. Each test sets the rows that the server shows. Payments go to a test
 * facilitator that moves no money.
 */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { expect } from 'chai'
import { createChainA } from '../../api/chain-a/chain.ts'
import type { RhBurst } from '../../api/chain-a/resources/burst.ts'
import { createApp } from '../../api/edge/app.ts'
import type { McpAccess } from '../../api/mcp/serve-mcp.ts'
import type { PaymentLedger } from '../../api/payments/ledger/ledger.ts'
import type { PaymentGate } from '../../api/payments/payment.ts'
import { routesOf } from '../../api/products.ts'
import type { AnnouncedRules, TrackRecord } from '../../api/record/track-record.ts'
import type { Route } from '../../api/route.ts'
import type { ApiSource } from '../../api/source.ts'
import type { FeedLog } from '../../api/stream/feed.ts'
import type { Stream } from '../../api/stream/stream.ts'
import type { SigningKeys } from '../../infra/data-dir/signing-keys.ts'
import { createLogger, type Logger } from '../../infra/telemetry.ts'
import type { Cuts } from '../../projections/cuts.ts'
import { type AnswerCheck, createAnswerCheck, publishedBy } from '../support/answer-check.ts'
import { calledA } from '../support/calls/fixed-queries.ts'
import { createFixedQueries, type FixedQueries, fixedBurst, fixedCut, fixedPool } from '../support/fixed-queries.ts'
import { type FacilitatorDouble, startFacilitatorDouble } from '../support/payments/facilitator-double.ts'
import { chainARoutes, pathOf, routeAt } from '../support/payments/paid-routes.ts'
import {
  createTestClock,
  memoryLog,
  openPaidService,
  type PaidService,
  sign,
  toHeader,
} from '../support/payments/paid-service.ts'
import { signingKeysOf } from '../support/signing-keys.ts'
import { streamOf } from '../support/stream.ts'

export const burstsPath = '/v1/rh/bursts/live'
export const rugCheckPath = `/v1/rh/token/${fixedBurst.token}/rugcheck`

export const verdictPath = `/v1/rh/token/${fixedBurst.token}/verdict`

export const pathOfEachRoute: readonly string[] = chainARoutes.map((route) =>
  pathOf(route, { id: fixedPool.pool, addr: fixedBurst.token }),
)

type ScoredBurst = RhBurst & Readonly<{ outcome: Readonly<{ scored: true; byRule: Readonly<Record<string, object>> }> }>

/** The fields that tests read from the response bodies of all routes. */
export type Body = Readonly<{
  error: string
  code: string
  docs: string
  note: string
  notice: string
  bursts: readonly ScoredBurst[]
  latest: RhBurst
  endpoints: readonly Readonly<{ route: string; url: string | null; price: number; params: readonly object[] }>[]
  resource?: Readonly<{ url: string }>
  data: object
  chains: Readonly<Record<string, object>>
}>

export const bodyOf = async (response: Promise<Response> | Response): Promise<Body> =>
  (await (await response).json()) as Body

type Edge = {
  readonly url: string
  readonly state: FixedQueries
  /** The wall clock of the service. */
  nowMs: number
  readonly gate: PaymentGate
  readonly ledger: PaymentLedger
  readonly double: FacilitatorDouble
  readonly routes: readonly Route[]
  readonly stream: Stream
  /** The number of responses whose client disconnected before the end. */
  abandoned: number
  /** Sends a request. Fails if the answer or the refusal does not match the published document. */
  readonly get: (path: string, init?: RequestInit) => Promise<Response>
  /** Buys an answer. Fails if the body does not match the route's schema. */
  readonly buy: (path: string) => Promise<Response>
}

const presentation = {
  chainName: 'chainA',
  launchpadKey: 'launchCurve',
  ruleIdSecret: 'a secret of the test',
  callerIdSecret: 'another secret of the test',
}

type EdgeOptions = Readonly<{
  /** Chains besides chain A. */
  otherChains?: readonly ApiSource[]
  /** The maximum number of bytes of sold answers that are stored for repeated payments. */
  answerBytesMax?: number
  /** Replaces the fixed cut. */
  cuts?: Cuts
  mcp?: McpAccess
  /** A signal that is aborted when the service stops. */
  stopped?: AbortSignal
  /** The source of the coverage and the corrections of chain A. By default there is no such source. */
  record?: TrackRecord
  announcedRules?: readonly AnnouncedRules[]
  operatorKey?: string
  /** The log from which the stream reads earlier events. Default: an empty one. */
  streamLog?: FeedLog
  /** Default: a silent one. */
  logger?: Logger
  /** Default: keys in memory. Null for a service that signs no answers. */
  signingKeys?: SigningKeys | null
}>

/** Starts one server for the enclosing `describe`. Resets the rows and the clock before each test. */
export function edgeOfTests(options: EdgeOptions = {}): Edge {
  const { otherChains = [], answerBytesMax, cuts, mcp = {}, record, announcedRules = [] } = options
  const signingKeys = options.signingKeys === undefined ? signingKeysOf() : options.signingKeys
  const { state, queries, cuts: fixedCuts } = createFixedQueries()
  const chainA = { ...createChainA({ queries, presentation }), called: calledA }
  const chains = [{ ...chainA, ...(record && { record }) }, ...otherChains]
  const { streamLog } = options
  const stream = streamOf(chains, { nowMs: () => edge.nowMs, ...(streamLog && { open: streamLog }) })
  const routes = routesOf(chains, [stream.passRoute])
  const initial = { ...state }
  let double: FacilitatorDouble
  let paid: PaidService
  let server: Server
  let baseUrl: string
  let check: AnswerCheck | null = null

  const edge: Edge = {
    state,
    routes,
    stream,
    nowMs: 0,
    abandoned: 0,
    get url() {
      return baseUrl
    },
    get gate() {
      return paid.gate
    },
    get ledger() {
      return paid.ledger
    },
    get double() {
      return double
    },
    async get(path, init = {}) {
      const answer = await fetch(baseUrl + path, init)
      check ??= createAnswerCheck(await publishedBy(baseUrl))
      await check(path, init.method ?? 'GET', answer)
      return answer
    },
    async buy(path) {
      const asked = await edge.get(path)
      expect(asked.status, `the 402 of ${path}`).to.equal(402)
      const payload = await sign(decodePaymentRequiredHeader(asked.headers.get('payment-required') as string))
      const answer = await edge.get(path, { headers: { 'PAYMENT-SIGNATURE': toHeader(payload).header } })
      if (answer.status === 200) routeAt(path, routes).schema.parse(await answer.clone().json())
      return answer
    },
  }

  before(async () => {
    double = await startFacilitatorDouble()
    const clock = createTestClock()
    paid = await openPaidService(double, {
      ...{ log: memoryLog(clock), clock },
      ...(answerBytesMax === undefined ? {} : { answerBytesMax }),
    })
    await paid.gate.refresh()
    const app = createApp({
      routes,
      stream: stream.route,
      sources: chains,
      cuts: cuts ?? fixedCuts,
      gate: paid.gate,
      publicBaseUrl: 'https://data.example',
      viewRefreshMs: 0,
      trustedProxyCount: 1,
      mcp,
      announcedRules,
      operatorKey: options.operatorKey,
      ...(signingKeys === null ? {} : { signingKeys }),
      ...(options.stopped === undefined ? {} : { stopped: options.stopped }),
      nowMs: () => edge.nowMs,
      logger: options.logger ?? createLogger('test', 'silent'),
    })
    server = createServer(app.callback()).listen(0, '127.0.0.1')
    server.on('request', (_, response) =>
      response.once('close', () => {
        if (!response.writableFinished) edge.abandoned += 1
      }),
    )
    await once(server, 'listening')
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })

  beforeEach(() => {
    Object.assign(state, initial, { asked: [] })
    edge.nowMs = fixedCut.atMs + 500
  })

  after(async () => {
    stream.route.end('shutdown')
    server.closeAllConnections()
    server.close()
    await paid.gate.close()
    await double.stop()
  })

  return edge
}
