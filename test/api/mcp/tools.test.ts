import type { PaymentRequired } from '@x402/core/types'
import { expect } from 'chai'
import { paidRoutes, routeAt } from '../../support/payments/paid-routes.ts'
import { sign, toHeader } from '../../support/payments/paid-service.ts'
import { callsEdgeOfTests, pathOfEachRoute as callsPaths } from '../calls/edge.ts'
import { pathOfEachRoute as chainBPaths } from '../chain-b/edge.ts'
import { bodyOf, pathOfEachRoute as chainAPaths } from '../edge.ts'
import { mcpClients } from './clients.ts'
import { openClient, textOf } from './edge.ts'

/** Returns the path parameters of a request as arguments of the tool for the same route. */
function argumentsOf(path: string): Record<string, string> {
  const [names, values] = [routeAt(path).pattern, path].map((text) => text.split('/'))
  const args = (names ?? []).flatMap((name, at) => (name.startsWith(':') ? [[name.slice(1), values?.[at] ?? '']] : []))
  return Object.fromEntries(args)
}

const passPath = '/v1/stream/pass'

describe('the tools', () => {
  const { edge } = callsEdgeOfTests()

  for (const kind of Object.keys(mcpClients) as (keyof typeof mcpClients)[])
    describe(`for the client that is ${kind}`, () => {
      it('are those of the free routes, which answer, and those of the paid ones', async () => {
        const client = await openClient(edge, kind)
        const names = (await client.listTools()).map(({ name }) => name)
        expect(names).to.include.members(['service_status', 'launch_sample'])
        expect(names).to.include.members(paidRoutes.map(({ tool }) => tool))
        const status = await client.callTool({ name: 'service_status' })
        expect(status.isError ?? false).to.equal(false)
        expect(JSON.parse(textOf(status))).to.deep.equal(await bodyOf(edge.get('/')))
        await client.close()
      })

      it('sell what their routes sell over HTTP, byte for byte, with a receipt', async () => {
        const client = await openClient(edge, kind)
        const paths = [...chainAPaths, ...chainBPaths, ...callsPaths, passPath]
        expect(new Set(paths.map((path) => routeAt(path).tool))).to.have.lengthOf(paidRoutes.length)
        for (const path of paths) {
          const { tool: name, isPersonal } = routeAt(path, edge.routes)
          const asked = { name, arguments: argumentsOf(path) }
          const payment = await sign((await client.callTool(asked)).structuredContent as unknown as PaymentRequired)
          const result = await client.callTool({ ...asked, _meta: { 'x402/payment': payment } })
          // A personal answer is made for one payment only. So only the same payment returns the same text.
          const overHttp = isPersonal
            ? edge.get(path, { headers: { 'PAYMENT-SIGNATURE': toHeader(payment).header } })
            : edge.buy(path)
          expect(textOf(result), name).to.equal(await (await overHttp).text())
          expect(result.isError ?? false, `${name}: ${textOf(result)}`).to.equal(false)
          expect(result._meta?.['x402/payment-response']).to.include({ success: true, network: 'eip155:8453' })
        }
        await client.close()
      })
    })

  it('that are free have the limits of their routes', async () => {
    const client = await openClient(edge)
    const ask = async () => (await client.callTool({ name: 'launch_sample' })).structuredContent
    for (let count = 0; count < 30; count++) expect(await ask()).to.equal(undefined)
    expect(await ask()).to.include({ code: 'rate_limited' })
    expect((await client.callTool({ name: 'service_status', arguments: { x: 1 } })).structuredContent).to.include({
      code: 'bad_param',
    })
    await client.close()
  })

  it('tell their price in words and for programs, that they change nothing, and take no other arguments', async () => {
    const client = await openClient(edge)
    const tools = new Map((await client.listTools()).map((tool) => [tool.name, tool]))
    expect(client.instructions()).to.include('_meta["x402/payment"]').and.include('not charged')
    for (const { tool: name, params, priceUsdMicros } of edge.routes) {
      const tool = tools.get(name)
      const amount = (priceUsdMicros / 1_000_000).toFixed(3).replace(/0$/, '')
      expect(tool?.description, name).to.include(`Costs ${amount} USD a call`)
      expect(tool?._meta?.['x402/price']).to.deep.equal({
        ...{ scheme: 'exact', currency: 'USD', amount, networks: ['eip155:8453'] },
      })
      expect(tool?.annotations).to.deep.equal({ readOnlyHint: true })
      expect(Object.keys(tool?.inputSchema.properties ?? {})).to.deep.equal(Object.keys(params))
      expect(tool?.inputSchema).to.include({ type: 'object', additionalProperties: false })
      // Tools have no output schema. With one, a client would check every structured result against it, even
      // a request to pay.
      expect(tool).to.not.have.property('outputSchema')
    }
    expect(tools.get('service_status')?.description).to.match(/Free\.$/)
    await client.close()
  })
})
