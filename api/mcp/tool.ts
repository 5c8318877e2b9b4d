/** A tool as a value: its description and its call. */
import type { CallToolResult, Tool as ToolDescription } from '@modelcontextprotocol/server'

/**
 * Path of the MCP endpoint. Payments name it as the bought resource, because catalogues list tools under their server's
 * address.
 */
export const mcpPath = '/mcp'

/** Most messages per address and minute. Each request carries one message. */
export const mcpMessagesPerMinute = 60

export type Tool = Readonly<{ described: ToolDescription; call(call: ToolCall): Promise<CallToolResult> }>

export type ToolCall = Readonly<{
  args: Readonly<Record<string, unknown>>
  /** As the client sent it, or undefined. Must never be logged. */
  payment: unknown
  /** Identifies the client: an IPv4 address or an IPv6 /64. */
  address: string
  isClientGone: () => boolean
  /** Calls back once all bytes of the response are sent, and never if the connection breaks. */
  onceSent: (note: () => void) => void
}>
