/**
 * Serves the paid routes over HTTP. The caller chooses the time for which they answer (the cut), and pays
 * with test payments.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import type { PaymentPayload, PaymentRequired } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client } from '@x402/fetch'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { createChainB } from '../../../api/chain-b/chain.ts'
import { createApp } from '../../../api/edge/app.ts'
import { routesOf } from '../../../api/products.ts'
import type { ApiSource } from '../../../api/source.ts'
import type { Database } from '../../../infra/clickhouse/database.ts'
import { createChainBQueries } from '../../../projections/chain-b/queries/chain-b.ts'
import { createCuts } from '../../../projections/cuts.ts'
import { silentLogger } from '../../replay/stage-log.ts'
import { createAnswerCheck, publishedBy } from '../../support/answer-check.ts'
import { startFacilitatorDouble } from '../../support/payments/facilitator-double.ts'
import { createTestClock, memoryLog, openPaidService, toHeader } from '../../support/payments/paid-service.ts'

export type Shop = Readonly<{
  patterns: readonly string[]
  /** Requests and pays for the answer at the cut time. Fails if the service does not sell the answer. */
  buy(path: string, cutAtMs: number): Promise<unknown>
  /** The body as text. */
  buyText(path: string, cutAtMs: number): Promise<string>
  /** Like `buy`, but null if there is nothing to sell (404). */
  seek(path: string, cutAtMs: number): Promise<unknown>
  /** Fails unless the route refuses with this status. */
  refuses(path: string, refusal: Readonly<{ cutAtMs: number; status: number }>): Promise<void>
  /** The answer to a request without payment. */
  look(path: string, cutAtMs: number): Promise<Readonly<{ status: number; body: unknown }>>
  close(): Promise<void>
}>

/** Signs each payment with a new payer. The service makes a payer wait who often asks for missing things. */
const signAnew = (required: PaymentRequired): Promise<PaymentPayload> =>
  new x402Client()
    .register('eip155:8453', new ExactEvmScheme(privateKeyToAccount(generatePrivateKey())))
    .createPaymentPayload(required)

const chainBOf = (database: Database): ApiSource =>
  createChainB({
    queries: createChainBQueries({ database }),
    presentation: {
      chainName: 'chainB',
      ruleIdSecret: 'a secret of the test',
      callerIdSecret: 'another secret of the test',
    },
  })

/** By default, chain B is the only chain. */
export async function openShop(database: Database, chains: readonly ApiSource[] = [chainBOf(database)]): Promise<Shop> {
  const routes = routesOf(chains)
  const cuts = createCuts({ database })
  const double = await startFacilitatorDouble()
  const clock = createTestClock()
  const { gate } = await openPaidService(double, { log: memoryLog(clock), clock })
  await gate.refresh()
  let cutAtMs = 0
  const app = createApp({
    ...{ routes, sources: chains, gate, viewRefreshMs: 0, trustedProxyCount: 1, logger: silentLogger },
    cuts: { ...cuts, newest: (stages) => cuts.at(cutAtMs, stages) },
    publicBaseUrl: 'https://data.example',
    nowMs: () => cutAtMs,
  })
  const server = createServer({ keepAliveTimeout: 0 }, app.callback()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const check = createAnswerCheck(await publishedBy(baseUrl))
  const get = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(baseUrl + path, { headers })
    await check(path, 'GET', answer)
    return answer
  }

  /** Null: there is nothing to sell. */
  const pay = async (path: string, asked: Response): Promise<string | null> => {
    const required = asked.headers.get('payment-required')
    if (asked.status !== 402 || required === null) throw new TypeError(`${path}: ${asked.status} ${await asked.text()}`)
    const { header } = toHeader(await signAnew(decodePaymentRequiredHeader(required)))
    const answer = await get(path, { 'PAYMENT-SIGNATURE': header })
    if (answer.status === 404) return null
    if (answer.status !== 200) throw new TypeError(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.text()
  }
  const buyText = async (path: string, atMs: number): Promise<string> => {
    cutAtMs = atMs
    const text = await pay(path, await get(path))
    if (text === null) throw new TypeError(`${path}: 404`)
    return text
  }

  return {
    patterns: routes.map(({ pattern }) => pattern),
    buyText,
    buy: async (path, atMs) => JSON.parse(await buyText(path, atMs)),
    async seek(path, atMs) {
      cutAtMs = atMs
      const asked = await get(path)
      const text = asked.status === 404 ? null : await pay(path, asked)
      return text === null ? null : JSON.parse(text)
    },
    async refuses(path, { cutAtMs: atMs, status }) {
      cutAtMs = atMs
      const answer = await get(path)
      if (answer.status !== status) throw new TypeError(`${path}: ${answer.status} ${await answer.text()}`)
    },
    async look(path, atMs) {
      cutAtMs = atMs
      const answer = await get(path)
      return { status: answer.status, body: await answer.json() }
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await gate.close()
      await double.stop()
    },
  }
}
