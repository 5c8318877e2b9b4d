/** The API from a configuration: the chains and their routes, payments (real, local or none). */

import { setTimeout as sleep } from 'node:timers/promises'
import { type RunningApi, startApi } from '../../api/main.ts'
import { createEvmNetwork } from '../../api/payments/evm-network.ts'
import { createHttpFacilitator } from '../../api/payments/facilitator-link.ts'
import { openPaymentLedger, type PaymentRecord } from '../../api/payments/ledger.ts'
import { createPaymentGate } from '../../api/payments/payment-gate.ts'
import { runPaymentUpkeep } from '../../api/payments/upkeep.ts'
import { createChains, routesOf } from '../../api/routes.ts'
import { createCuts } from '../../projections/cuts.ts'
import { topics } from '../../schemas/topics.ts'
import { createDatabase } from '../clickhouse/database.ts'
import { createSchemaCodec } from '../codec/schema-codec.ts'
import type { Config } from '../config.ts'
import { keptSecret } from '../data-dir/secrets.ts'
import { startLocalPayments } from '../development/payments/start-local-payments.ts'
import { httpUrl } from '../http-url.ts'
import type { OpenLog } from '../log/open-log.ts'
import { freePorts } from '../ports.ts'
import type { Logger } from '../telemetry.ts'

type Serving = Readonly<{
  config: Config
  logger: Logger
  open: OpenLog
  /** Another process sells from now on. Noticed at the next sale, which is then refused, or in the upkeep without one. */
  onLedgerLost: () => void
}>

/** Base: USDC is cheapest to move there, and every facilitator settles on it. */
export const paymentNetwork = 'eip155:8453'

const nowMs = () => Date.now()

const sleepUntilAborted = (durationMs: number, signal: AbortSignal): Promise<void> =>
  sleep(durationMs, undefined, { signal }).catch(() => {})

export async function startServing({ config, logger, open, onLedgerLost }: Serving): Promise<RunningApi> {
  // Answers name the address, so port 0 is made one before anything is told of it.
  const [port = 0] = config.PORT === 0 ? await freePorts(1) : [config.PORT]
  const publicBaseUrl = config.PUBLIC_BASE_URL ?? httpUrl(config.HOST, port)
  const money = await moneyOf(config, logger)
  const database = await createDatabase({ url: config.CLICKHOUSE_URL, dataDir: config.DATA_DIR, role: 'reader' })
  const codec = await createSchemaCodec<PaymentRecord>(topics.payments, open.registry)
  const ledger = await openPaymentLedger({ log: open.log, codec, nowMs })
  const gate = await createPaymentGate({
    facilitators: money.map(({ facilitatorUrl }) => createHttpFacilitator({ url: facilitatorUrl })),
    networks: money.map(({ payTo, rpcUrl, isLocal }) =>
      createEvmNetwork({ network: paymentNetwork, payTo, rpcUrl, isLocal }),
    ),
    ledger,
    publicBaseUrl,
    nowMs,
    sleep: async (durationMs) => void (await sleep(durationMs)),
    logger,
    onLedgerLost,
  })
  const chains = createChains({
    database,
    chainA: {
      chainName: config.CHAIN_A_NAME,
      launchpadKey: config.CHAIN_A_LAUNCHPAD_KEY,
      ruleIdSecret: config.RULE_ID_SECRET ?? (await keptSecret(config.DATA_DIR, 'rule-ids')),
    },
  })
  const api = await startApi(
    {
      routes: routesOf(chains),
      chains,
      cuts: createCuts({ database, gridMs: config.VIEW_REFRESH_MS }),
      gate,
      publicBaseUrl,
      viewRefreshMs: config.VIEW_REFRESH_MS,
      trustedProxyCount: config.TRUSTED_PROXY_COUNT,
      nowMs,
      logger,
    },
    { port, host: config.HOST },
  )
  const upkeepStop = new AbortController()
  const upkeep = runPaymentUpkeep(gate, sleepUntilAborted, upkeepStop.signal)
  upkeep.catch((error) => logger.error({ err: error }, 'the upkeep of payments failed'))
  return {
    port: api.port,
    async stop() {
      upkeepStop.abort()
      await Promise.all([Promise.allSettled([upkeep]), api.stop()])
      await database.close()
      for (const { stop } of money) await stop()
    },
  }
}

type Money = Readonly<{
  facilitatorUrl: string
  rpcUrl: string
  payTo: string
  isLocal: boolean
  stop(): Promise<void>
}>

/**
 * A configured facilitator is real money. Without one and without a chain to watch this is development: a local chain with
 * a token without value. A real chain without a facilitator sells nothing (`payments_not_live`).
 */
async function moneyOf(config: Config, logger: Logger): Promise<readonly Money[]> {
  const { X402_FACILITATOR_URL: facilitatorUrl, X402_PAY_TO_EVM: payTo, X402_EVM_RPC_URL: rpcUrl } = config
  if (facilitatorUrl !== undefined && payTo !== undefined && rpcUrl !== undefined)
    return [{ facilitatorUrl, rpcUrl, payTo, isLocal: false, stop: async () => {} }]
  if (config.CHAIN_A_RPC_URL !== undefined) {
    logger.warn('payments are off: X402_FACILITATOR_URL is not set')
    return []
  }
  const local = await startLocalPayments({})
  logger.info({ facilitatorUrl: local.facilitatorUrl }, 'payments settle on a local chain, in money without value')
  return [{ ...local, isLocal: true }]
}
