/** A tool as a value: what is told of it, and what a call of it does. */
import type { CallToolResult, Tool as ToolDescription } from '@modelcontextprotocol/server'

/** Where the tools are, which payments name as what is bought: catalogues list tools by the address of their server. */
export const mcpPath = '/mcp'

/** Most messages of one address in a minute. Each request carries one message. */
export const mcpMessagesPerMinute = 60

export type Tool = Readonly<{ described: ToolDescription; call(call: ToolCall): Promise<CallToolResult> }>

export type ToolCall = Readonly<{
  args: Readonly<Record<string, unknown>>
  /** As the client sent it; undefined when it sent none. Never logged. */
  payment: unknown
  /** Who is asking: an IPv4 address or an IPv6 /64. */
  address: string
  isClientGone: () => boolean
  /** Calls back once all bytes of the response are out, and never if the connection breaks. */
  onceSent: (note: () => void) => void
}>
