/** The official MCP clients of the old SDK and the new SDK, with one common interface. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { PaymentPayload, PaymentRequired } from '@x402/core/types'

type ListedTool = Readonly<{
  name: string
  description?: string | undefined
  inputSchema: Readonly<{ properties?: Readonly<Record<string, unknown>> | undefined }>
  outputSchema?: unknown
  annotations?: Readonly<{ readOnlyHint?: boolean | undefined }> | undefined
  _meta?: Readonly<Record<string, unknown>> | undefined
}>

export type ToolResult = Readonly<{
  content: readonly Readonly<{ type: string; text?: string }>[]
  structuredContent?: Readonly<Record<string, unknown>>
  isError?: boolean
  _meta?: Readonly<Record<string, unknown>>
}>

type Call = Readonly<{ name: string; arguments?: Record<string, unknown>; _meta?: Record<string, unknown> }>

export type McpClient = Readonly<{
  listTools(): Promise<readonly ListedTool[]>
  callTool(call: Call, signal?: AbortSignal): Promise<ToolResult>
  instructions(): string | undefined
  close(): Promise<void>
}>

const about = { name: 'test', version: '1.0.0' }

async function openOld(url: URL, headers: Record<string, string>): Promise<McpClient> {
  const client = new OldClient(about)
  // The cast is needed because the types of the SDK do not match each other under
  // `exactOptionalPropertyTypes`.
  await client.connect(new OldTransport(url, { requestInit: { headers } }) as never)
  return {
    listTools: async () => (await client.listTools()).tools as readonly ListedTool[],
    callTool: async (call, signal) =>
      (await client.callTool(call, undefined, signal === undefined ? {} : { signal })) as ToolResult,
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  }
}

async function openNew(url: URL, headers: Record<string, string>, isNegotiating: boolean): Promise<McpClient> {
  const client = new Client(about, isNegotiating ? { versionNegotiation: { mode: 'auto' } } : {})
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  return {
    listTools: async () => (await client.listTools()).tools as readonly ListedTool[],
    callTool: async (call, signal) =>
      (await client.callTool(call, signal === undefined ? {} : { signal })) as ToolResult,
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  }
}

type Open = (url: URL, headers?: Record<string, string>) => Promise<McpClient>

export const mcpClients: Readonly<Record<'old' | 'new' | 'negotiating', Open>> = {
  old: (url, headers = {}) => openOld(url, headers),
  new: (url, headers = {}) => openNew(url, headers, false),
  negotiating: (url, headers = {}) => openNew(url, headers, true),
}

export type Signer = Readonly<{ createPaymentPayload(required: PaymentRequired): Promise<PaymentPayload> }>

/** Calls the tool and signs the payment that the tool requests. Then calls the tool again with this payment. */
export async function callPaying(client: McpClient, signer: Signer, call: Call): Promise<ToolResult> {
  const asked = await client.callTool(call)
  const required = asked.structuredContent as PaymentRequired | undefined
  if (!asked.isError || required?.accepts === undefined) return asked
  const payment = await signer.createPaymentPayload(required)
  return client.callTool({ ...call, _meta: { 'x402/payment': payment } })
}
