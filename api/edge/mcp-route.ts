/**
 * Serves the MCP tools over HTTP. Checks the headers Host and Origin, and limits the messages a minute for
 * each client.
 */
import type Router from '@koa/router'
import { rateLimited, writeRefusal } from '../http/middleware.ts'
import { createMcpEdge, type McpOptions } from '../mcp/serve-mcp.ts'
import { mcpMessagesPerMinute, mcpPath } from '../mcp/tool.ts'

type Options = McpOptions & Readonly<{ stopped: AbortSignal | undefined }>

export function serveMcp(router: Router, { stopped, ...options }: Options): void {
  const { publicBaseUrl, nowMs } = options
  const mcp = createMcpEdge(options)
  stopped?.addEventListener('abort', () => void mcp.close())
  router.post(
    mcpPath,
    (ctx, next) => {
      const refusal = mcp.judge(ctx)
      return refusal === null ? next() : writeRefusal(ctx, refusal, publicBaseUrl)
    },
    rateLimited(mcpMessagesPerMinute, { publicBaseUrl, nowMs, what: mcpPath }),
    mcp.serve,
  )
}
