/** MCP over Streamable HTTP, for clients of the current protocol and of older ones, without sessions. */
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, localhostAllowedHostnames, validateHostHeader } from '@modelcontextprotocol/server'
import type { Context } from 'koa'
import type { Logger } from '../../infra/telemetry.ts'
import type { FreeRoute } from '../free-route.ts'
import { clientId, type FailureReport, writeRefusal } from '../http/middleware.ts'
import type { Route } from '../route.ts'
import { isRefusal, type Refusal, refuse } from '../sale/refusals.ts'
import { isClientGone, onceSent } from '../x402-koa/answer-paid.ts'
import { freeTool } from './free-tool.ts'
import { type PaidTools, paidTool } from './paid-tool.ts'
import { readMessage } from './read-message.ts'
import { refused } from './results.ts'
import { createMcpServer, type Exchange } from './server.ts'
import type { Tool } from './tool.ts'

/** Who may ask. */
export type McpAccess = Readonly<{
  /** Hosts without ports that a Host header may name, beside this machine's own and that of the public address. */
  hosts?: readonly string[] | undefined
  /** Pages that may ask, such as `https://app.example`. Default: all, because nobody is known here by a cookie. */
  origins?: readonly string[] | undefined
}>

export type McpOptions = PaidTools &
  Readonly<{
    routes: readonly Route[]
    free: readonly FreeRoute[]
    access: McpAccess
    report: FailureReport
    logger: Logger
  }>

export type McpEdge = Readonly<{
  /** Whether this request may be made from where it comes: a page that had its name pointed at this machine may not. */
  judge(ctx: Context): Refusal | null
  /** Answers the one message of a POST. */
  serve(ctx: Context): Promise<void>
  close(): Promise<void>
}>

export function createMcpEdge(options: McpOptions): McpEdge {
  const { publicBaseUrl, access, report, logger } = options
  const tools = toolsOf(options)
  /** By the request that the SDK is given. */
  const exchanges = new WeakMap<Request, Exchange>()
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const exchange = requestInfo && exchanges.get(requestInfo)
      assert(exchange, 'the SDK hands on the request that it was given')
      return createMcpServer({ tools, publicBaseUrl }, exchange)
    },
    { onerror: (err) => logger.debug({ err }, 'a message over MCP was refused') },
  )
  const exchangeOf = (ctx: Context): Exchange => ({
    address: clientId(ctx.ip),
    isClientGone: isClientGone(ctx),
    onceSent: (note) => onceSent(ctx, note),
    fail: (error) => refused(report(ctx, error), publicBaseUrl),
  })
  return {
    judge: judgeOf(publicBaseUrl, access),
    async serve(ctx) {
      const read = await readMessage(ctx)
      if (read !== null && isRefusal(read)) return writeRefusal(ctx, read, publicBaseUrl)
      ctx.respond = false
      if (read === null) return
      const exchange = exchangeOf(ctx)
      const answer = toNodeHandler(
        {
          fetch: (request, given) => {
            exchanges.set(request, exchange)
            return handler.fetch(request, given)
          },
        },
        { onerror: exchange.fail },
      )
      ctx.set('Cache-Control', 'private, no-store')
      await answer(ctx.req as RequestOfServer, ctx.res, read.message)
    },
    close: handler.close,
  }
}

/** What Node types as optional is there in every request that a server has received. */
type RequestOfServer = IncomingMessage & Readonly<{ method: string; url: string }>

/** The free ones first: they cost nothing to try. */
function toolsOf(options: McpOptions): ReadonlyMap<string, Tool> {
  const { routes, free } = options
  const freeTools = free.flatMap((route) => (route.tool === undefined ? [] : [freeTool(route, route.tool, options)]))
  const tools = [...freeTools, ...routes.map((route) => paidTool(route, options))]
  const byName = new Map(tools.map((tool) => [tool.described.name, tool]))
  assert(byName.size === tools.length, 'two routes have the same tool')
  return byName
}

function judgeOf(publicBaseUrl: string, { hosts = [], origins }: McpAccess): McpEdge['judge'] {
  const allowed = [...localhostAllowedHostnames(), new URL(publicBaseUrl).hostname, ...hosts]
  return (ctx) => {
    const { host, origin } = ctx.req.headers
    if (!validateHostHeader(host, allowed).ok) return refuse('forbidden', 'this host is not served over MCP')
    if (origin !== undefined && origins !== undefined && !origins.includes(origin))
      return refuse('forbidden', 'pages of this origin may not ask over MCP')
    return null
  }
}
