/** The tool of a paid route: one paid call over MCP. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import { formatUsd } from '../payments/offers/format-usd.ts'
import type { Route } from '../route.ts'
import { toolDiscovery } from '../sale/discovery.ts'
import { isRefusal, RefusedSale } from '../sale/refusals.ts'
import { prepareSale, type SaleDependencies } from '../sale/sale.ts'
import { rawParamsOf } from './arguments.ts'
import { inputSchemaOf } from './input-schema.ts'
import { paymentRequired, refused, sold, unavailable } from './results.ts'
import { mcpPath, type Tool, type ToolCall } from './tool.ts'

export type PaidToolDependencies = SaleDependencies & Readonly<{ publicBaseUrl: string }>

export function paidTool(route: Route, paid: PaidToolDependencies): Tool {
  const price = formatUsd(route.priceUsdMicros)
  const networks = paid.gate.describe().networks.map(({ network }) => network)
  return {
    described: {
      name: route.tool,
      description: `${route.description} Answers JSON with ${fieldsOf(route)}. Costs ${price} USD a call, paid over x402.`,
      inputSchema: inputSchemaOf(route.params),
      annotations: { readOnlyHint: true },
      _meta: { 'x402/price': { scheme: 'exact', currency: 'USD', amount: price, networks } },
    },
    call: (call) => callPaid(route, call, paid),
  }
}

/**
 * Returns the names of the answer's top-level fields, for the tool's description. The tool has no output
 * schema. Clients would check every result against an output schema, and a request to pay would fail this
 * check.
 */
const fieldsOf = ({ schema }: Route): string => Object.keys(schema.shape).join(', ')

async function callPaid(route: Route, call: ToolCall, paid: PaidToolDependencies): Promise<CallToolResult> {
  const { gate, publicBaseUrl } = paid
  const { address, isClientGone } = call
  const raw = rawParamsOf(route.params, call.args)
  if (isRefusal(raw)) return refused(raw, publicBaseUrl)
  const payment = call.payment === undefined ? null : { payload: call.payment }
  const sale = await prepareSale({ route, raw, payment, address, resourcePath: mcpPath }, paid)
  if (isRefusal(sale)) return refused(sale, publicBaseUrl)
  const outcome = await gate.run({
    ...sale,
    ...{ discovery: await toolDiscovery(route, raw.path), payment, clientAddress: address, isClientGone },
  })
  switch (outcome.kind) {
    case 'paid':
      call.onceSent(() => gate.markDelivered(outcome.paymentId))
      return sold(outcome)
    case 'paymentRequired':
      return paymentRequired(outcome, publicBaseUrl)
    case 'unavailable':
      return unavailable(outcome, publicBaseUrl)
    case 'handlerFailed':
      if (outcome.error instanceof RefusedSale) return refused(outcome.error.refusal, publicBaseUrl)
      throw outcome.error
    case 'clientGone':
      // The client has disconnected, so nobody reads the result.
      return { content: [] }
    default:
      return outcome satisfies never
  }
}
