/**
 * `server.json`: the entry of this service in the registry of MCP servers, in the format of 2025-12-11
 * (https://github.com/modelcontextprotocol/registry). The registry lists a name under a domain for its owner only.
 */
import { mcpPath, mcpServer } from '../mcp/tool.ts'
import type { Page } from './page.ts'

/** The registry accepts at most 100 characters. */
const description = 'Token launches on two chains: bursts, rugs, callers, wallets to copy. Paid per call with x402.'

/** `publicBaseUrl`: without a slash at its end. The name begins with its host in reverse, such as `com.example.data`. */
export const serverJsonOf = (publicBaseUrl: string) => ({
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name: `${new URL(publicBaseUrl).hostname.split('.').reverse().join('.')}/${mcpServer.name}`,
  title: mcpServer.title,
  description,
  version: mcpServer.version,
  websiteUrl: publicBaseUrl,
  remotes: [{ type: 'streamable-http', url: publicBaseUrl + mcpPath }],
})

export const createServerJsonPage = (publicBaseUrl: string): Page => ({
  patterns: ['/server.json'],
  type: 'json',
  body: async () => `${JSON.stringify(serverJsonOf(publicBaseUrl), null, 2)}\n`,
})
