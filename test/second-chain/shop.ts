/**
 * Runs the HTTP server of a service, and a buyer. Payments are settled on a local chain and stored in the
 * service's own log.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { createApp } from '../../api/edge/app.ts'
import { createEvmNetwork, paymentNetwork } from '../../api/payments/evm/network.ts'
import { createHttpFacilitator } from '../../api/payments/facilitator/http-facilitator.ts'
import { openPaymentLedger, type PaymentRecord } from '../../api/payments/ledger/ledger.ts'
import { createPaymentGate } from '../../api/payments/payment-gate.ts'
import { createSchemaCodec } from '../../infra/codec/schema-codec.ts'
import { startLocalPayments } from '../../infra/development/payments/start-local-payments.ts'
import { topics } from '../../schemas/topics.ts'
import { callPaying, mcpClients } from '../api/mcp/clients.ts'
import { silentLogger } from '../replay/stage-log.ts'
import { closeAll } from '../support/close-all.ts'
import type { Service } from './service.ts'

export type Answer = Readonly<{ status: number; text: string; signature: string }>

type ToolCall = Readonly<{ name: string; arguments: Record<string, unknown> }>

export type Shop = Readonly<{
  /** Returns the code of the refusal. The code `payment_required` means that the answer is for sale. */
  codeOf(path: string): Promise<string>
  buy(path: string): Promise<Answer>
  /** Buys over MCP, as an agent does. */
  buyWithTool(call: ToolCall): Promise<Readonly<{ listed: readonly string[]; text: string }>>
  /** Sends the payment of a sold answer again. */
  again(path: string, sold: Answer): Promise<Answer>
  /** The income so far, in millionths of a dollar. */
  earned(): Promise<bigint>
  close(): Promise<void>
}>

const publicBaseUrl = 'https://data.example'

/**
 * Opens a shop that stores no answers. If a paid answer is requested again, it is built again for its cut
 * time.
 */
export async function openShop({ log, registry, routes, chains, cuts, clock }: Service): Promise<Shop> {
  const money = await startLocalPayments({ isEvmAlone: true })
  const buyer = privateKeyToAccount(money.buyerPrivateKey)
  const client = new x402Client().register(paymentNetwork, new ExactEvmScheme(buyer))
  const codec = await createSchemaCodec<PaymentRecord>(topics.payments, registry)
  // Signatures are valid for a span of real time, so this clock is the real one.
  const nowMs = () => Date.now()
  const gate = await createPaymentGate({
    facilitators: [createHttpFacilitator({ url: money.facilitatorUrl })],
    networks: [createEvmNetwork({ network: paymentNetwork, ...money, isLocal: true })],
    ledger: await openPaymentLedger({ log, codec, nowMs }),
    ...{ publicBaseUrl, nowMs, logger: silentLogger, answerBytesMax: 0 },
    sleep: async (durationMs) => void (await sleep(durationMs)),
  })
  /** Starts a new HTTP server for each call, so that nothing is cached. */
  const atEdge = async <Result>(use: (baseUrl: string) => Promise<Result>): Promise<Result> => {
    const app = createApp({
      ...{ routes, sources: chains, cuts, gate, publicBaseUrl, viewRefreshMs: 0, trustedProxyCount: 1 },
      ...{ nowMs: () => clock.atMs, logger: silentLogger },
    })
    const server = createServer(app.callback()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      const { port } = server.address() as AddressInfo
      return await use(`http://127.0.0.1:${port}`)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  }
  const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    atEdge(async (baseUrl) => {
      const response = await fetch(baseUrl + path, { headers })
      return new Response(await response.text(), response)
    })
  const pay = async (path: string, signature: string): Promise<Answer> => {
    const response = await get(path, { 'PAYMENT-SIGNATURE': signature })
    return { status: response.status, text: await response.text(), signature }
  }
  return {
    codeOf: async (path) => ((await (await get(path)).json()) as { code: string }).code,
    async buy(path) {
      const asked = (await get(path)).headers.get('payment-required')
      if (asked === null) throw new TypeError(`${path} is not for sale`)
      const payload = await client.createPaymentPayload(decodePaymentRequiredHeader(asked))
      return pay(path, encodePaymentSignatureHeader(payload))
    },
    buyWithTool: (call) =>
      atEdge(async (baseUrl) => {
        const agent = await mcpClients.negotiating(new URL('/mcp', baseUrl))
        const listed = (await agent.listTools()).map(({ name }) => name)
        const { content } = await callPaying(agent, client, call)
        await agent.close()
        return { listed, text: content[0]?.text ?? '' }
      }),
    again: (path, { signature }) => pay(path, signature),
    earned: () => money.usdcBalanceOf(money.payTo),
    close: () => closeAll(gate.close, money.stop),
  }
}
