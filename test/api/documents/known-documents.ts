/**
 * Makes hashes of what clients read about the service: OpenAPI, the MCP tools, the dictionary and the pages.
 * The expected hashes are in `known-documents.json`.
 */
import { createHash } from 'node:crypto'
import type { chainBEdgeOfTests } from '../chain-b/edge.ts'
import { openClient } from '../mcp/edge.ts'
import { documentsOf } from './documents-of.ts'

export type KnownDocuments = Readonly<Record<string, string>>

const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 12)

type Edge = ReturnType<typeof chainBEdgeOfTests>['edge']

/** Returns the hash of each part of the documents. `edge` must have both chains, calls and the paper desk. */
export async function documentsNow(edge: Edge): Promise<KnownDocuments> {
  const { documents, document } = await documentsOf()
  const { paths, ...rest } = document as Readonly<{ paths: Record<string, object> }>
  const client = await openClient(edge)
  const tools = await client.listTools()
  const parts: Record<string, unknown> = { 'OpenAPI without paths': rest, 'MCP instructions': client.instructions() }
  await client.close()
  for (const [path, operations] of Object.entries(paths)) parts[`OpenAPI ${path}`] = operations
  for (const tool of tools) parts[`tool ${tool.name}`] = tool
  for (const [index, page] of documents.pages.entries()) parts[`page ${index} ${page.patterns[0]}`] = await page.body()
  for (const route of documents.free.slice(1)) parts[`answer ${route.patterns[0]}`] = await route.answer({})
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, hashOf(part)]))
}
