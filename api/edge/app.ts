/**
 * The HTTP application: the routes, the order in which a request is checked and refused, and the payment
 * gate. `listen.ts` opens the port.
 */
import Router from '@koa/router'
import Koa, { type Context, type Middleware } from 'koa'
import type { SigningKeys } from '../../infra/data-dir/signing-keys.ts'
import type { Logger } from '../../infra/telemetry.ts'
import type { WrittenBatch } from '../../projections/batch-signal.ts'
import type { Cuts } from '../../projections/cuts.ts'
import type { DurationMs, EpochMs } from '../../schemas/units.ts'
import { createDocuments } from '../documents/documents.ts'
import { createFront } from '../front/front.ts'
import { createFailureLog } from '../http/failure-log.ts'
import { createFailureReport, crossOrigin, guarded, securityHeaders, writeRefusal } from '../http/middleware.ts'
import type { McpAccess } from '../mcp/serve-mcp.ts'
import type { PaymentGate } from '../payments/payment.ts'
import { products } from '../products.ts'
import type { AnnouncedRules } from '../record/track-record.ts'
import type { Route } from '../route.ts'
import { type Answers, createAnswers } from '../sale/answers.ts'
import { createExampleSubjects } from '../sale/example-subjects.ts'
import { createQuestions } from '../sale/questions.ts'
import { refuse } from '../sale/refusals.ts'
import { createAnswerSigner } from '../signing/sign-answer.ts'
import type { StreamRoute } from '../stream-route.ts'
import { serveFree } from './free-route.ts'
import { createFreeRoutes } from './free-routes.ts'
import type { FrontAccess } from './front-route.ts'
import { serveMcp } from './mcp-route.ts'
import { type PaidRoutes, servePaid } from './paid-route.ts'
import { serveProbes } from './probes.ts'
import { createReadiness, type ServiceReadiness } from './readiness.ts'
import { createHealthDetails, type DescribedSource } from './service-info.ts'
import { sourceAges } from './source-ages.ts'
import { serveStream } from './stream-route.ts'

export type AppDependencies = FrontAccess &
  Readonly<{
    /** The paid routes. */
    routes: readonly Route[]
    /** The chains and the chats. The free routes report their state. */
    sources: readonly DescribedSource[]
    /** The route of the stream. Default: there is no stream. */
    stream?: StreamRoute
    cuts: Cuts
    /** Default: answers at the given cuts. */
    answers?: Answers
    /** Default: the service is ready when each source has a cut. */
    readiness?: ServiceReadiness
    gate: PaymentGate
    /** The keys with which answers are signed on request. Default: no answer is signed. */
    signingKeys?: SigningKeys
    publicBaseUrl: string
    viewRefreshMs: DurationMs
    /**
     * Registers a listener for the batches of rows that are written to the tables. If undefined, the API checks
     * at intervals for new complete data.
     */
    listenToBatches?: (listener: (batch: WrittenBatch) => void) => void
    trustedProxyCount: number
    /** The rule changes that an operator has announced for a later time. Default: none. */
    announcedRules?: readonly AnnouncedRules[]
    nowMs: () => EpochMs
    logger: Logger
    mcp?: McpAccess
    /** The signal aborts when the service begins to stop. Connections that do not end by themselves must then end. */
    stopping?: AbortSignal
    /** The signal aborts when no further request can arrive. */
    stopped?: AbortSignal
    /** Middleware around every request, the outermost first. Default: none. */
    around?: readonly Middleware[]
  }>

export function createApp(dependencies: AppDependencies): Koa {
  const { routes, sources, stream, cuts, publicBaseUrl, operatorKey, nowMs, logger } = dependencies
  const { answers = createAnswers({ cuts, nowMs, refreshMs: dependencies.viewRefreshMs }) } = dependencies
  const { readiness = createReadiness({ sources, answers }) } = dependencies
  dependencies.listenToBatches?.(answers.batchWritten)
  const subjects = createExampleSubjects({ answers, nowMs })
  const logFailure = createFailureLog(logger)
  const { signingKeys } = dependencies
  const onFailure = (error: unknown) => logFailure({ err: error }, 'an answer could not be signed')
  const signed = signingKeys && { sign: createAnswerSigner({ keys: signingKeys, publicBaseUrl, onFailure }) }
  const paid: PaidRoutes = { ...dependencies, answers, subjects, questions: createQuestions(), ...signed }

  const router = new Router()
  for (const route of routes)
    for (const path of [route.pattern, route.pattern.replace('/v1', '')])
      router.get(path, (ctx) => servePaid(ctx, route, paid))

  serveProbes(router, readiness)
  const { announcedRules = [] } = dependencies
  const details = createHealthDetails()
  const known = { sources, answers, cuts, routes, nowMs }
  const free = createFreeRoutes({ ...paid, ...known, details, announcedRules, signingKeys, listed: () => listed })
  const { free: documents, pages, search } = createDocuments({ routes, free, stream, subjects, publicBaseUrl })
  const listed = [...free, ...documents, ...pages.slice(0, 1), ...(stream ? [stream] : [])]
  const front = createFront({
    ...{ ...known, publicBaseUrl, logFailure, agesOf: () => sourceAges(sources, { answers, details }) },
    calls: products.flatMap((product) => product.frontCallsOf?.(sources) ?? [])[0] ?? null,
  })
  dependencies.stopping?.addEventListener('abort', front.end)
  serveFree(router, { routes: [...free, ...documents], pages, search, front }, { publicBaseUrl, operatorKey, nowMs })

  const report = createFailureReport(logFailure)
  const { mcp: access = {}, stopped } = dependencies
  serveMcp(router, { ...paid, routes, free: [...free, ...documents], access, report, logger, stopped })

  for (const pattern of stream?.patterns ?? [])
    router.get(pattern, async (ctx) => {
      const refusal = stream && (await serveStream(ctx, stream))
      if (refusal) writeRefusal(ctx, refusal, publicBaseUrl)
    })

  const app = new Koa(
    dependencies.trustedProxyCount > 0 ? { proxy: true, maxIpsCount: dependencies.trustedProxyCount } : {},
  )
  app.on('error', (error) => {
    if (!isClientsOwn(error)) logFailure({ err: error }, 'response failed')
  })
  for (const middleware of dependencies.around ?? []) app.use(middleware)
  app.use(crossOrigin).use(securityHeaders).use(guarded(report, publicBaseUrl)).use(router.routes())
  app.use((ctx) => refuseUnrouted(ctx, publicBaseUrl))
  return app
}

const connectionCodes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT'])

/**
 * Whether the client caused the error by closing the connection, or by sending bytes that are not HTTP (`HPE_…`). Errors of clients are not
 * logged.
 */
const isClientsOwn = ({ code }: Readonly<{ code?: unknown }>): boolean =>
  connectionCodes.has(code) || String(code).startsWith('HPE_')

/** Refuses a request whose path does not exist, or exists only for other methods. */
function refuseUnrouted(ctx: Context, publicBaseUrl: string): void {
  const isKnown = Array.isArray(ctx.matched) && ctx.matched.length > 0
  if (!isKnown) {
    writeRefusal(
      ctx,
      refuse('no_such_route', `there is no route at ${ctx.path}. The routes are listed at /`),
      publicBaseUrl,
    )
    return
  }
  const methods = [...new Set((ctx.matched as readonly Layer[]).flatMap((layer) => layer.methods))].sort()
  ctx.set('Allow', [...methods, 'OPTIONS'].join(', '))
  writeRefusal(
    ctx,
    refuse('method_not_allowed', `this path does not accept ${ctx.method}. Use ${methods[0]}`),
    publicBaseUrl,
  )
}

type Layer = Readonly<{ methods: readonly string[] }>
