/** Helpers that call the MCP tools of an API server with both chains. */
import type { PaymentPayload, PaymentRequired } from '@x402/core/types'
import { expect } from 'chai'
import { sign } from '../../support/payments/paid-service.ts'
import { chainBEdgeOfTests } from '../chain-b/edge.ts'
import type { edgeOfTests } from '../edge.ts'
import { callPaying, type McpClient, mcpClients, type ToolResult } from './clients.ts'

type Edge = ReturnType<typeof edgeOfTests>

const signer = { createPaymentPayload: sign }

/** Returns the text of a result. The result must have exactly one text. */
export function textOf({ content }: ToolResult): string {
  expect(content).to.have.length(1)
  return content[0]?.text ?? ''
}

/** The number of clients so far. Each client gets another address, so clients do not share rate limits. */
let clientCount = 0
export async function openClient(edge: Edge, kind: keyof typeof mcpClients = 'negotiating'): Promise<McpClient> {
  clientCount += 1
  const address = `203.0.${clientCount >> 8}.${clientCount & 255}`
  const { url } = await edge.get('/mcp')
  return mcpClients[kind](new URL(url), { 'X-Forwarded-For': address })
}

export type McpTests = Readonly<{
  edge: Edge
  call(name: string, args?: Record<string, unknown>, payment?: PaymentPayload): Promise<ToolResult>
  /** Calls the tool without a payment and signs the payment that the tool requests. */
  signFor(name: string, args?: Record<string, unknown>): Promise<PaymentPayload>
  buy(name: string, args?: Record<string, unknown>): Promise<ToolResult>
}>

/** Returns the state of a payment in the ledger. */
export function stateOf({ ledger }: Edge, { accepted, payload }: PaymentPayload): string | undefined {
  const { from, nonce } = (payload as Readonly<{ authorization: Readonly<{ from: string; nonce: string }> }>)
    .authorization
  return ledger.find(`${accepted.network}|${accepted.asset}|${from}|${nonce}`.toLowerCase())?.state
}

/** Each call uses a new client. */
export function mcpOfTests(): McpTests {
  const { edge } = chainBEdgeOfTests()
  const once = async (use: (client: McpClient) => Promise<ToolResult>) => {
    const client = await openClient(edge)
    const result = await use(client)
    await client.close()
    return result
  }
  const call: McpTests['call'] = (name, args = {}, payment) =>
    once((client) =>
      client.callTool({
        name,
        arguments: args,
        ...(payment === undefined ? {} : { _meta: { 'x402/payment': payment } }),
      }),
    )
  return {
    edge,
    call,
    signFor: async (name, args) => sign((await call(name, args)).structuredContent as unknown as PaymentRequired),
    buy: (name, args = {}) => once((client) => callPaying(client, signer, { name, arguments: args })),
  }
}
