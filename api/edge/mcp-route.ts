/** The tools over HTTP: where they are, who may ask, and how often. */
import type Router from '@koa/router'
import { createMcpEdge, type McpOptions } from '../mcp/serve-mcp.ts'
import { mcpPath } from '../mcp/tool.ts'
import { rateLimited, writeRefusal } from './middleware.ts'

/** Each request carries one. */
const messagesPerMinute = 60

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
    rateLimited(messagesPerMinute, { publicBaseUrl, nowMs, what: `${mcpPath} takes` }),
    mcp.serve,
  )
}
