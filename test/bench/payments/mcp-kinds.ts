/** The kinds of work that a caller can cause over MCP without paying. */
import type { Kind } from './unpaid-costs.ts'

type Message = Readonly<{ method: string; params?: Readonly<Record<string, unknown>> }>

const protocolOfNow = '2026-07-28'
const client = { name: 'bench', version: '1.0.0' }

export function mcpKinds(
  addresses: readonly string[],
  oneAddress: readonly string[],
  settled: object,
): readonly Kind[] {
  const kind = (name: string, body: string, lines: readonly string[] = []): Kind => ({
    ...{ name: `MCP: ${name}`, paths: ['/mcp'], addresses, method: 'POST', body },
    headers: [...lines, ...linesOf(body)].map((line) => `${line}\r\n`).join(''),
  })
  /** Makes a message in the protocol of older clients. */
  const older = (name: string, message: Message) =>
    kind(name, JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }), ['MCP-Protocol-Version: 2025-11-25'])
  const quote = (args: object, payment?: unknown): Message => {
    const meta = payment === undefined ? {} : { _meta: { 'x402/payment': payment } }
    return { method: 'tools/call', params: { name: 'rh_bursts_live', arguments: args, ...meta } }
  }
  const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: client }
  const begin = older('the beginning of a session', { method: 'initialize', params: initialize })
  return [
    begin,
    older('the list of tools', { method: 'tools/list' }),
    ofNow(kind, 'the list of tools, of now', { method: 'tools/list' }),
    older('the free tool', { method: 'tools/call', params: { name: 'service_status' } }),
    older('an argument out of bounds', quote({ minutes: 0 })),
    older('a quote', quote({})),
    ofNow(kind, 'a quote, of now', quote({})),
    older('a payment that is garbage, 60 KB', quote({}, { text: 'x'.repeat(60_000) })),
    older('a payment that is garbage, 12,000 numbers', quote({}, Array(12_000).fill(1))),
    older('a settled payment again, its answer again', quote({}, settled)),
    kind('many messages in one, 60 KB', JSON.stringify(Array(1_500).fill({ jsonrpc: '2.0', id: 1, method: 'ping' }))),
    kind('what is not JSON, 60 KB', `{"a":${'['.repeat(60_000)}`),
    kind('what is nested by the thousand, 60 KB', `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`),
    { ...begin, name: 'MCP: over the limit', addresses: oneAddress },
  ]
}

/** Makes a message in the current protocol. In this protocol each message names the client. */
function ofNow(
  kind: (name: string, body: string, lines: readonly string[]) => Kind,
  name: string,
  { method, params = {} }: Message,
): Kind {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': protocolOfNow,
    'io.modelcontextprotocol/clientInfo': client,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } })
  const named = typeof params.name === 'string' ? [`Mcp-Name: ${params.name}`] : []
  return kind(name, body, [`MCP-Protocol-Version: ${protocolOfNow}`, `Mcp-Method: ${method}`, ...named])
}

const linesOf = (body: string): readonly string[] => [
  'Content-Type: application/json',
  'Accept: application/json, text/event-stream',
  `Content-Length: ${Buffer.byteLength(body)}`,
]
