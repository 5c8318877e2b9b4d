/** MCP over Streamable HTTP without sessions, for clients of the current version of the protocol and of older versions. */
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
import { type PaidToolDependencies, paidTool } from './paid-tool.ts'
import { readMessage } from './read-message.ts'
import { refused } from './results.ts'
import { createMcpServer, type Exchange } from './server.ts'
import type { Tool } from './tool.ts'

/** Which clients may use MCP. */
export type McpAccess = Readonly<{
  /** The host names, without ports, that a Host header may contain besides localhost and the host of the public address. */
  hosts?: readonly string[] | undefined
  /** The origins whose web pages may use MCP, such as `https://app.example`. Default: all, because no client is identified by a cookie. */
  origins?: readonly string[] | undefined
}>

export type McpOptions = PaidToolDependencies &
  Readonly<{
    routes: readonly Route[]
    free: readonly FreeRoute[]
    access: McpAccess
    report: FailureReport
    logger: Logger
  }>

export type McpEdge = Readonly<{
  /**
   * Checks the headers Host and Origin. The check of Host refuses web pages of an attacker whose host name
   * resolves to this machine (DNS rebinding).
   */
  judge(ctx: Context): Refusal | null
  /** Answers the single message of a POST. */
  serve(ctx: Context): Promise<void>
  close(): Promise<void>
}>

export function createMcpEdge(options: McpOptions): McpEdge {
  const { publicBaseUrl, access, report, logger } = options
  const tools = toolsOf(options)
  /** The context of each message. The key is the request object that the SDK receives with the message. */
  const exchanges = new WeakMap<Request, Exchange>()
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const exchange = requestInfo && exchanges.get(requestInfo)
      assert(exchange, 'the MCP SDK did not pass on the request that it received')
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

/** Node declares these fields as optional, but every request that a server receives has them. */
type RequestOfServer = IncomingMessage & Readonly<{ method: string; url: string }>

/** Free tools come first, because trying them costs nothing. */
function toolsOf(options: McpOptions): ReadonlyMap<string, Tool> {
  const { routes, free } = options
  const freeTools = free.flatMap((route) => (route.tool === undefined ? [] : [freeTool(route, route.tool, options)]))
  const tools = [...freeTools, ...routes.map((route) => paidTool(route, options))]
  const byName = new Map(tools.map((tool) => [tool.described.name, tool]))
  assert(byName.size === tools.length, 'two routes have the same name of an MCP tool')
  return byName
}

function judgeOf(publicBaseUrl: string, { hosts = [], origins }: McpAccess): McpEdge['judge'] {
  const allowed = [...localhostAllowedHostnames(), new URL(publicBaseUrl).hostname, ...hosts]
  return (ctx) => {
    const { host, origin } = ctx.req.headers
    if (!validateHostHeader(host, allowed).ok)
      return refuse(
        'forbidden',
        'MCP does not accept the Host header of this request. Use the public address of the service',
      )
    if (origin !== undefined && origins !== undefined && !origins.includes(origin))
      return refuse(
        'forbidden',
        'MCP does not accept the Origin header of this request. Send the request from a program without an Origin header, or from an allowed web page',
      )
    return null
  }
}
