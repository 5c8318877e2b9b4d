/**
 * Tests purchases by the official MCP clients with real parts: x402's own facilitator, a local node, and a
 * token contract that checks signatures.
 */
import { expect } from 'chai'
import { type LocalShop, openLocalShop } from '../../support/payments/local-shop.ts'
import { paidRoutes } from '../../support/payments/paid-routes.ts'
import { callPaying, mcpClients } from './clients.ts'
import { textOf } from './edge.ts'

describe('the MCP clients, on a local chain', () => {
  let shop: LocalShop
  before(async () => {
    shop = await openLocalShop()
  })
  after(() => shop?.close())

  for (const [kind, open] of Object.entries(mcpClients))
    it(`buys with the ${kind} one, unchanged but for a wrapper that signs`, async () => {
      const client = await open(new URL('/mcp', shop.url), { 'X-Forwarded-For': `198.51.100.${kind.length}` })
      const names = (await client.listTools()).map(({ name }) => name)
      expect(names).to.include.members([...paidRoutes.map(({ tool }) => tool), 'service_status', 'launch_sample'])
      for (const name of ['service_status', 'launch_sample'])
        expect(JSON.parse(textOf(await client.callTool({ name })))).to.be.an('object')
      const moved = await shop.earned(async () => {
        const sold = await callPaying(client, shop.signer, { name: 'rh_bursts_live', arguments: { minutes: 30 } })
        expect(JSON.parse(textOf(sold)).bursts).to.be.an('array')
        expect(sold._meta?.['x402/payment-response']).to.include({ success: true, payer: shop.money.buyer })
        const snapshot = await callPaying(client, shop.signer, { name: 'launch_snapshot' })
        expect(JSON.parse(textOf(snapshot))).to.include.keys('chainA', 'chainB')
        const refused = await callPaying(client, shop.signer, { name: 'rh_bursts_live', arguments: { minutes: 0 } })
        expect(refused.structuredContent).to.include({ code: 'bad_param' })
      })
      expect(moved).to.equal(40_000n)
      await client.close()
    })
})
