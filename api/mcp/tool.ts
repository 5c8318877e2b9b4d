/** The type of an MCP tool: its description, and the function that runs a call. */
import type { CallToolResult, Tool as ToolDescription } from '@modelcontextprotocol/server'

/**
 * The path of the MCP endpoint. Catalogues list tools under the URL of their server. So a payment over MCP
 * names this path as the bought resource.
 */
export const mcpPath = '/mcp'

/** What clients and catalogues read about the MCP server. */
export const mcpServer = { name: 'launch-data-service', title: 'Launch Data Service', version: '1.2.0' } as const

/** The maximum number of messages per address and minute. Each request carries one message. */
export const mcpMessagesPerMinute = 60

export type Tool = Readonly<{ described: ToolDescription; call(call: ToolCall): Promise<CallToolResult> }>

export type ToolCall = Readonly<{
  args: Readonly<Record<string, unknown>>
  /** The payment as the client sent it, or undefined. Must never be logged. */
  payment: unknown
  /** Identifies the client: an IPv4 address or an IPv6 /64. */
  address: string
  isClientGone: () => boolean
  /**
   * Calls `note` when all bytes of the response have been sent. If the connection breaks earlier, `note` is
   * never called.
   */
  onceSent: (note: () => void) => void
}>
