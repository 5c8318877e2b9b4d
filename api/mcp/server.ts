/** The MCP server: lists and calls the tools. It has no state between messages, so each message gets a new server. */
import { type CallToolResult, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import { paymentKey, receiptKey } from './results.ts'
import { mcpServer, type Tool, type ToolCall } from './tool.ts'

/** The context of one message. `fail` logs an error and returns the tool result that reports it. */
export type Exchange = Pick<ToolCall, 'address' | 'isClientGone' | 'onceSent'> &
  Readonly<{ fail: (error: unknown) => CallToolResult }>

const instructionsAt = (
  publicBaseUrl: string,
): string => `Data about new tokens, sold per call. Tools without a price in \
their description are free: begin with those. A burst is sudden buying of one token by many wallets within a minute; it is \
scored once its outcome is known. Times are epoch milliseconds. ${publicBaseUrl}/v1/fields explains every field of every answer.
A paid tool that is called without a payment answers with isError and, as structuredContent, an x402 PaymentRequired object. \
To buy, sign one of its \`accepts\` and call the tool again with the same arguments and the signed payment payload (an object) \
in _meta["${paymentKey}"] of the request. The receipt comes back in _meta["${receiptKey}"] of the result.
A call that fails is not charged: \`code\` and \`error\` say why, and \`docs\` leads to what to do. The same payment with the \
same arguments gives the same answer again and costs nothing more: repeat it when an answer was lost.`

/** How long clients may cache the list of tools, in ms. The list changes only when another version of the program starts. */
const listedMs = 300_000

type Served = Readonly<{ tools: ReadonlyMap<string, Tool>; publicBaseUrl: string }>

/** `publicBaseUrl`: the base URL of the service, for the link to `/v1/fields` in the instructions. */
export function createMcpServer({ tools, publicBaseUrl }: Served, exchange: Exchange): Server {
  const server = new Server(mcpServer, {
    capabilities: { tools: {} },
    instructions: instructionsAt(publicBaseUrl),
    cacheHints: { 'tools/list': { ttlMs: listedMs, cacheScope: 'public' } },
  })
  server.setRequestHandler('tools/list', () => ({ tools: [...tools.values()].map(({ described }) => described) }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq: { _meta, signal } }) => {
    const tool = tools.get(params.name)
    if (!tool)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `there is no tool ${params.name.slice(0, 60)}. The method tools/list returns the names of all tools`,
      )
    const isClientGone = () => signal.aborted || exchange.isClientGone()
    const call = { ...exchange, isClientGone, args: params.arguments ?? {}, payment: _meta?.[paymentKey] }
    return tool.call(call).catch(exchange.fail)
  })
  return server
}
