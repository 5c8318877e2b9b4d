/**
 * Starts the API as a program. It serves the paid and free routes, opens the payments (real, local or none),
 * and makes the lines of text about new events.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Check } from '../infra/check.ts'
import { createDatabase } from '../infra/clickhouse/database.ts'
import { createSchemaCodec } from '../infra/codec/schema-codec.ts'
import type { Config } from '../infra/config.ts'
import { keptSecret } from '../infra/data-dir/secrets.ts'
import { openSigningKeys } from '../infra/data-dir/signing-keys.ts'
import type { OperationError } from '../infra/errors.ts'
import { httpUrl } from '../infra/http-url.ts'
import type { OpenLog } from '../infra/log/open-log.ts'
import { type Metrics, noMetrics } from '../infra/metrics/metrics.ts'
import { freePorts } from '../infra/ports.ts'
import type { Readiness } from '../infra/program.ts'
import type { Logger } from '../infra/telemetry.ts'
import { onBatchWritten, type WrittenBatch } from '../projections/batch-signal.ts'
import { createCuts } from '../projections/cuts.ts'
import { topics } from '../schemas/topics.ts'
import type { DurationMs } from '../schemas/units.ts'
import { startApi } from './edge/listen.ts'
import { measureData } from './edge/measure-data.ts'
import { measureRequests } from './edge/measure-requests.ts'
import { createReadiness } from './edge/readiness.ts'
import { openMoney } from './money.ts'
import { checkPayments } from './payments/check-payments.ts'
import { openFacilitator } from './payments/facilitator/http-facilitator.ts'
import { openPaymentLedger, type PaymentRecord } from './payments/ledger/ledger.ts'
import { measurePayments } from './payments/measure-payments.ts'
import type { PaymentGate } from './payments/payment.ts'
import { createPaymentGate } from './payments/payment-gate.ts'
import { runPaymentUpkeep } from './payments/upkeep.ts'
import { examplePathOf, routesOf } from './products.ts'
import { createAnswers } from './sale/answers.ts'
import { serviceName } from './sale/discovery.ts'
import { createSources } from './sources.ts'
import { openStream, push } from './stream/pushing.ts'

type Serving = Readonly<{
  config: Config
  logger: Logger
  open: OpenLog
  /**
   * Called when another process has opened the payment ledger. From then on, only the other process may sell.
   * This process detects the change at its next sale or in its periodic upkeep. It refuses that sale.
   */
  onLedgerLost: () => void
  /** Called when the embedded tables can no longer be queried. */
  onTablesLost: (failure: OperationError) => void
  /** Receives each line of text about a new event. Default: no such lines are made. */
  onHeadline?: (text: string) => void
  /** Default: the API is not measured. */
  metrics?: Metrics
}>

export type Service = Readonly<{
  /** The address on which the service listens. */
  url: string
  /** A text for people that describes where payments go. */
  payments: string
  /** The path of a paid route, as an example of something to buy. */
  examplePath: string
  /** Whether the service can serve requests. */
  readiness(): Promise<Readiness>
  stop(): Promise<void>
}>

const nowMs = () => Date.now()

const sleepUntilAborted = (durationMs: DurationMs, signal: AbortSignal): Promise<void> =>
  sleep(durationMs, undefined, { signal }).catch(() => {})

/** The functions that close what was opened, in the order of opening. `closeAll` calls them in reverse order. */
type Opened = (() => Promise<void>)[]

/** Serves until `stop` is called. Fails with `port_in_use` if the port is taken. On any failure it closes all that it opened. */
export async function startServing(serving: Serving): Promise<Service> {
  const opened: Opened = []
  try {
    return await serve(serving, opened)
  } catch (error) {
    await closeAll(opened)
    throw error
  }
}

async function closeAll(opened: Opened): Promise<void> {
  for (const close of opened.reverse()) await close()
}

async function serve(serving: Serving, opened: Opened): Promise<Service> {
  const { config, logger, open, onTablesLost, onHeadline, metrics = noMetrics } = serving
  // Answers contain the URL of the service. So if `PORT` is 0, a free port is chosen before the app is built.
  const [port = 0] = config.PORT === 0 ? await freePorts(1) : [config.PORT]
  const url = httpUrl(config.HOST, port)
  const publicBaseUrl = config.PUBLIC_BASE_URL ?? url
  const money = await openMoney(config, { logger, nowMs })
  opened.push(money.stop)
  const place = { url: config.CLICKHOUSE_URL, dataDir: config.DATA_DIR }
  const database = await createDatabase({ ...place, role: 'reader', onFatal: onTablesLost })
  opened.push(database.close)
  const gate = measurePayments(metrics, await openGate(serving, { money, publicBaseUrl }))
  const ruleIdSecret = config.RULE_ID_SECRET ?? (await keptSecret(config.DATA_DIR, 'rule-ids'))
  const callerIdSecret = config.CALLER_ID_SECRET ?? (await keptSecret(config.DATA_DIR, 'caller-ids'))
  const sources = createSources({ config, database, ruleIdSecret, callerIdSecret })
  const operatorKey = await keptSecret(config.DATA_DIR, 'operator')
  const signingKeys = await openSigningKeys({ dataDir: config.DATA_DIR, nowMs })
  const cuts = createCuts({ database })
  const { VIEW_REFRESH_MS: viewRefreshMs, TRUSTED_PROXY_COUNT: trustedProxyCount } = config
  const answers = createAnswers({ cuts, nowMs, refreshMs: viewRefreshMs })
  const readiness = createReadiness({ sources, answers })
  const stream = await openStream({ config, sources, publicBaseUrl, open, nowMs, logger })
  measureData(metrics, { sources, answers, stream, nowMs })
  const sold = { routes: routesOf(sources, [stream.passRoute]), stream: stream.route }
  const mcp = {
    hosts: [new URL(url).hostname, ...(config.MCP_ALLOWED_HOSTS ?? [])],
    origins: config.MCP_ALLOWED_ORIGINS,
  }
  const { RULES_ANNOUNCED: announcedRules = [] } = config
  const listenToBatches = (listener: (batch: WrittenBatch) => void) => {
    const stop = onBatchWritten(listener)
    opened.push(async () => stop())
  }
  const app = {
    ...{ ...sold, listenToBatches, sources, cuts, answers, readiness, gate, publicBaseUrl, operatorKey },
    ...{
      signingKeys,
      viewRefreshMs,
      trustedProxyCount,
      announcedRules,
      around: [measureRequests(metrics, sold.routes)],
    },
  }
  const api = await startApi({ ...app, mcp, nowMs, logger }, { port, host: config.HOST })
  const stopping = new AbortController()
  const { signal } = stopping
  const upkeep = runPaymentUpkeep(gate, sleepUntilAborted, signal)
  upkeep.catch((error) =>
    logger.error(
      { err: error },
      'the periodic checks of payments and facilitators failed and have stopped. Restart the service',
    ),
  )
  warnOfPayments(config, logger).catch((error) =>
    logger.warn({ err: error }, 'the service could not check the settings of payments. Run "launch-data doctor"'),
  )
  const pushed = push({ config, sources, stream, open, onHeadline, nowMs, logger, signal })
  return {
    url,
    payments: money.text,
    examplePath: examplePathOf(app.routes),
    readiness: readiness.state,
    async stop() {
      stopping.abort()
      await Promise.all([Promise.allSettled([upkeep, pushed]), api.stop()])
      await closeAll(opened)
    },
  }
}

async function openGate(
  { config, logger, open, onLedgerLost }: Serving,
  { money, publicBaseUrl }: Readonly<{ money: Awaited<ReturnType<typeof openMoney>>; publicBaseUrl: string }>,
): Promise<PaymentGate> {
  const codec = await createSchemaCodec<PaymentRecord>(topics.payments, open.registry)
  const ledger = await openPaymentLedger({ log: open.log, codec, nowMs })
  return createPaymentGate({
    facilitators: money.facilitators.map((address) =>
      openFacilitator(address, { dataDir: config.DATA_DIR, nowMs, logger }),
    ),
    ...{ networks: money.networks, ledger, publicBaseUrl, service: serviceName, nowMs, logger, onLedgerLost },
    sleep: async (durationMs) => void (await sleep(durationMs)),
  })
}

/** Logs one warning for each check of the payments that found a fault. The service still starts. */
async function warnOfPayments(config: Config, logger: Logger): Promise<void> {
  for (const { name, state, says, toDo } of await Promise.all(checkPayments(config, { asksAll: false })))
    if (state === 'wrong') logger.warn({ check: name }, `${says}. TO DO: ${toDo}`)
}

/** The checks of payments for `launch-data doctor`. */
export const checkServing = (config: Config): readonly Promise<Check>[] => checkPayments(config, { asksAll: true })
