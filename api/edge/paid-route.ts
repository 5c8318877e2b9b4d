import type { Context } from 'koa'
import { clientId, writeRefusal } from '../http/middleware.ts'
import type { Route } from '../route.ts'
import { routeDiscovery } from '../sale/discovery.ts'
import { errorPageUrl, isRefusal, RefusedSale, refuse } from '../sale/refusals.ts'
import { prepareSale, type SaleDependencies } from '../sale/sale.ts'
import { answerPaid, isClientGone, paymentOf } from '../x402-koa/answer-paid.ts'

export type PaidRoutes = SaleDependencies & Readonly<{ publicBaseUrl: string }>

/** The maximum length of a URL in characters. It is limited because a 402 answer contains the URL twice. */
const urlLengthMax = 4_096

export async function servePaid(ctx: Context, route: Route, paid: PaidRoutes): Promise<void> {
  const { gate, publicBaseUrl, nowMs } = paid
  if (ctx.url.length > urlLengthMax)
    return writeRefusal(
      ctx,
      refuse(
        'bad_param',
        `the URL has ${ctx.url.length} characters, and the limit is ${urlLengthMax}. Send a shorter URL`,
      ),
      publicBaseUrl,
    )
  const address = clientId(ctx.ip)
  const sale = await prepareSale(
    {
      route,
      raw: { query: ctx.query, path: ctx.params },
      payment: paymentOf(ctx),
      asker: { address, isGone: isClientGone(ctx) },
      // `ctx.href` is not used, because a client can put any host into the URL of its request.
      resourcePath: `${ctx.path}${ctx.search}`,
    },
    paid,
  )
  if (isRefusal(sale)) return writeRefusal(ctx, sale, publicBaseUrl)
  const answer = { ...sale, discovery: await routeDiscovery(route), clientAddress: address, nowMs }
  try {
    await answerPaid(ctx, gate, { ...answer, docsUrlOf: (code) => errorPageUrl(publicBaseUrl, code) })
  } catch (error) {
    if (!(error instanceof RefusedSale)) throw error
    writeRefusal(ctx, error.refusal, publicBaseUrl)
  }
}
