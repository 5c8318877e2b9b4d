/**
 * Starts the API over embedded tables with one hour of simulated trades. The newest data time (cut) moves
 * forward, and payments go over a local chain.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { encodePaymentSignatureHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { startApi } from '../../../api/edge/listen.ts'
import { createEvmNetwork, paymentNetwork } from '../../../api/payments/evm/network.ts'
import { createHttpFacilitator } from '../../../api/payments/facilitator/http-facilitator.ts'
import { openPaymentLedger, type PaymentRecord } from '../../../api/payments/ledger/ledger.ts'
import { createPaymentGate } from '../../../api/payments/payment-gate.ts'
import { stageCutOf } from '../../../api/route.ts'
import { createSchemaCodec } from '../../../infra/codec/schema-codec.ts'
import { startLocalPayments } from '../../../infra/development/payments/start-local-payments.ts'
import { chainAProjection } from '../../../projections/chain-a/projection.ts'
import { createChainATracked } from '../../../projections/chain-a/queries/tracked.ts'
import type { Cuts } from '../../../projections/cuts.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { topics } from '../../../schemas/topics.ts'
import { silentLogger } from '../../replay/stage-log.ts'
import { openService } from '../../second-chain/service.ts'
import { closeAll } from '../../support/close-all.ts'

export type UnpaidShop = Readonly<{
  port: number
  /** The tracked tokens. */
  tokens: readonly string[]
  pools: readonly string[]
  /** Returns the header of a signed payment for the price of the path. */
  sign(path: string): Promise<string>
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>
  /**
   * Returns the data time (cut), the answer to a path, and the update of the set of tracked tokens. `second`
   * is the time in the replay, in seconds.
   */
  cutAt(second: number): Promise<unknown>
  answerAt(path: string, second: number): Promise<string>
  extendAt(second: number): Promise<unknown>
  close(): Promise<void>
}>

const marketMinutes = 60
/**
 * The replay begins this number of milliseconds before the newest data. Each second of the replay has a new
 * data time (cut).
 */
const replayedMs = 5 * 60_000
const publicBaseUrl = 'http://127.0.0.1'

export async function openUnpaidShop(dataDir: string): Promise<UnpaidShop> {
  const service = await openService({ dataDir, name: 'bench', topicTable: topics, projections: [chainAProjection] })
  await service.goOn(marketMinutes)
  const newest = await service.cuts.newest([chainAStage])
  if (!newest) throw new TypeError('the market has no cut')
  const startedAtMs = Date.now()
  const cutAtMs = () => Math.floor((newest.atMs - replayedMs + Date.now() - startedAtMs) / 1000) * 1000
  const cuts: Cuts = { ...service.cuts, newest: (stages) => service.cuts.at(cutAtMs(), stages) }
  // This clock is far before the time of the simulated trades. So the data is never too old.
  const nowMs = () => Date.now() - startedAtMs
  const money = await startLocalPayments({ isEvmAlone: true })
  const codec = await createSchemaCodec<PaymentRecord>(topics.payments, service.registry)
  const gate = await createPaymentGate({
    facilitators: [createHttpFacilitator({ url: money.facilitatorUrl })],
    networks: [createEvmNetwork({ network: paymentNetwork, ...money, isLocal: true })],
    ledger: await openPaymentLedger({ log: service.log, codec, nowMs: Date.now }),
    ...{ publicBaseUrl, nowMs: Date.now, logger: silentLogger },
    sleep: async (durationMs) => void (await sleep(durationMs)),
  })
  const { chains, routes } = service
  const tracked = createChainATracked(service.database)
  const secondAtMs = (second: number) => newest.atMs - replayedMs + second * 1000
  const api = await startApi(
    {
      sources: chains,
      routes,
      cuts,
      gate,
      publicBaseUrl,
      viewRefreshMs: 1000,
      trustedProxyCount: 1,
      nowMs,
      logger: silentLogger,
    },
    { port: 0, host: '127.0.0.1' },
  )
  const rows = await service.database.query<{ token: string; pool: string }>(
    `SELECT DISTINCT token, pool FROM pools WHERE created_at_ms < ${newest.atMs - replayedMs} AND withdrawn = 0 ORDER BY token`,
  )
  const client = new x402Client().register(
    paymentNetwork,
    new ExactEvmScheme(privateKeyToAccount(money.buyerPrivateKey)),
  )
  const get: UnpaidShop['get'] = (path, headers = {}) => fetch(`http://127.0.0.1:${api.port}${path}`, { headers })
  const tokens: string[] = []
  const pools: string[] = []
  for (const [index, { token, pool }] of rows.entries()) {
    const quote = await get(`/v1/rh/token/${token}/rugcheck`, { 'x-forwarded-for': `192.0.2.${index & 255}` })
    if (quote.status !== 402) continue
    tokens.push(token)
    pools.push(pool)
  }
  return {
    ...{ port: api.port, tokens, pools },
    cutAt: (second) => service.cuts.at(secondAtMs(second), [chainAStage]),
    answerAt: (path, second) => service.answerAt(path, secondAtMs(second)),
    extendAt: (second) => tracked.tokens.mayHold('', { ...stageCutOf(newest, chainAStage), atMs: secondAtMs(second) }),
    get,
    async sign(path) {
      const quote = await get(path)
      return encodePaymentSignatureHeader(await client.createPaymentPayload((await quote.json()) as never))
    },
    close: () => closeAll(api.stop, money.stop, service.close),
  }
}
