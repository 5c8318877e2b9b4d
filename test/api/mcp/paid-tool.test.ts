import { setTimeout as sleep } from 'node:timers/promises'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import type { PaymentPayload, PaymentRequired } from '@x402/core/types'
import { expect } from 'chai'
import { requestIdOf } from '../../../api/payments/payment.ts'
import { createLogger } from '../../../infra/telemetry.ts'
import { fixedBurst, fixedCut, fixedPool } from '../../support/fixed-queries.ts'
import { sign, toHeader } from '../../support/payments/paid-service.ts'
import { bodyOf, burstsPath, edgeOfTests } from '../edge.ts'
import { mcpOfTests, openClient, stateOf, textOf } from './edge.ts'

const burstsRoute = 'GET /v1/rh/bursts/live'
const address = `0x${'9'.repeat(40)}`

describe('a paid tool', () => {
  const { edge, call, signFor, buy } = mcpOfTests()
  const signOverHttp = async (path: string) => {
    const { headers } = await edge.get(path)
    return sign(decodePaymentRequiredHeader(headers.get('payment-required') as string))
  }
  const payOverHttp = async (path: string, payment: Awaited<ReturnType<typeof sign>>) =>
    edge.get(path, { headers: { 'PAYMENT-SIGNATURE': toHeader(payment).header } })
  const soldOf = (route: string) => edge.gate.stats().days.reduce((sum, { routes }) => sum + (routes[route]?.n ?? 0), 0)

  it('asks to be paid with the x402 object that HTTP gives, for the address of the server', async () => {
    const result = await call('rh_bursts_live', { minutes: 5 })
    expect(result.isError).to.equal(true)
    const overHttp = decodePaymentRequiredHeader(
      (await edge.get(`${burstsPath}?minutes=5`)).headers.get('payment-required') as string,
    )
    const { x402Version, accepts, resource, ...rest } = result.structuredContent as PaymentRequired & { code: string }
    expect({ x402Version, accepts }).to.deep.equal({ x402Version: 2, accepts: overHttp.accepts })
    expect(resource).to.deep.equal({ ...overHttp.resource, url: 'https://data.example/mcp' })
    expect(rest).to.include({ code: 'payment_required' })
    expect(rest.error).to.equal(
      'This call costs 0.01 USD. Call the tool again with a signed payment in _meta["x402/payment"]',
    )
    expect(JSON.parse(textOf(result))).to.deep.equal(result.structuredContent)
  })

  it('counts under the route that sells the same over HTTP, and is delivered once its bytes are out', async () => {
    const before = soldOf(burstsRoute)
    const payment = await signFor('rh_bursts_live', { minutes: 6 })
    expect((await call('rh_bursts_live', { minutes: 6 }, payment)).isError ?? false).to.equal(false)
    expect(soldOf(burstsRoute)).to.equal(before + 1)
    while (stateOf(edge, payment) !== 'delivered') {
      await sleep(1)
      await edge.ledger.flush()
    }
  })

  describe('paid again with the same payment', () => {
    it('gives what was bought over HTTP, and moves no money', async () => {
      const path = `${burstsPath}?minutes=7`
      const payment = await signOverHttp(path)
      const sold = await (await payOverHttp(path, payment)).text()
      const transfers = edge.double.transfers.size
      edge.state.cut = { ...fixedCut, atMs: fixedCut.atMs + 900_000 }
      const again = await call('rh_bursts_live', { minutes: 7 }, payment)
      expect(textOf(again)).to.equal(sold)
      expect(edge.double.transfers.size).to.equal(transfers)
    })

    it('gives over HTTP what was bought here, and here too', async () => {
      const payment = await signFor('rh_bursts_live', { minutes: 8 })
      const sold = textOf(await call('rh_bursts_live', { minutes: 8 }, payment))
      expect(JSON.parse(sold)).to.include.keys('bursts')
      const transfers = edge.double.transfers.size
      expect(await (await payOverHttp(`${burstsPath}?minutes=8`, payment)).text()).to.equal(sold)
      expect(textOf(await call('rh_bursts_live', { minutes: 8, tier: 'main', lp: 'all' }, payment))).to.equal(sold)
      expect(edge.double.transfers.size).to.equal(transfers)
    })

    it('gives nothing else', async () => {
      const payment = await signFor('rh_bursts_live', { minutes: 9 })
      await call('rh_bursts_live', { minutes: 9 }, payment)
      const other = await call('rh_bursts_live', { minutes: 10 }, payment)
      expect(other.structuredContent).to.include({ code: 'payment_already_used' })
      expect(other.structuredContent?.accepts).to.have.length(1)
    })
  })

  describe('refuses as its route does', () => {
    const cases: readonly (readonly [string, string, Record<string, unknown>, string, (() => void)?])[] = [
      ['bad_param', 'rh_bursts_live', { minutes: 241 }, `${burstsPath}?minutes=241`],
      ['bad_param', 'rh_bursts_live', { tier: 'x' }, `${burstsPath}?tier=x`],
      ['bad_address', 'rh_token_rugcheck', { addr: '0x12' }, '/v1/rh/token/0x12/rugcheck'],
      ['not_tracked', 'rh_token_rugcheck', { addr: address }, `/v1/rh/token/${address}/rugcheck`],
      ['warming_up', 'rh_crews', {}, '/v1/rh/crews', () => Object.assign(edge.state, { cut: null })],
      ['data_stale', 'rh_crews', {}, '/v1/rh/crews', () => Object.assign(edge, { nowMs: fixedCut.atMs + 900_000 })],
      ['warming_up', 'sol_bursts_live', {}, '/v1/sol/bursts/live', () => Object.assign(edge.state, { otherCuts: {} })],
    ]
    for (const [code, tool, args, path, prepare] of cases)
      it(`${code} ${tool} ${JSON.stringify(args)}`, async () => {
        prepare?.()
        const overHttp = await edge.get(path)
        const body = await bodyOf(overHttp)
        expect(body.code).to.equal(code)
        const result = await call(tool, args)
        expect([result.isError, result.structuredContent]).to.deep.equal([true, body])
        expect(JSON.parse(textOf(result))).to.deep.equal(body)
        const retryAfter = overHttp.headers.get('retry-after')
        expect(result._meta?.retryAfterSec).to.equal(retryAfter === null ? undefined : Number(retryAfter))
      })

    it('payments_not_live, before it asks to be paid', async () => {
      edge.double.reachable.value = false
      try {
        const payment = await signFor('rh_crews', { limit: 3 })
        const down = await call('rh_crews', { limit: 3 }, payment)
        expect(down.structuredContent).to.include({ code: 'payments_not_live' })
        expect(down.structuredContent).to.not.have.property('accepts')
        expect(down._meta?.retryAfterSec).to.be.a('number')
      } finally {
        edge.double.reachable.value = true
        await edge.gate.refresh()
      }
    })

    it('a payment that does not settle, with its receipt and nothing of the answer', async () => {
      edge.double.settleFaults.push('refuse')
      const result = await call('rh_crews', { limit: 4 }, await signFor('rh_crews', { limit: 4 }))
      expect(result.isError).to.equal(true)
      expect(result.structuredContent).to.include({ code: 'payment_invalid' })
      expect(result._meta?.['x402/payment-response']).to.include({ success: false })
      expect(JSON.stringify(result)).to.not.include('e5'.repeat(20))
      expect(result.structuredContent?.error).to.match(/repeat the request with the same payment\./)
    })

    for (const payment of ['eyJ4NDAyIjoyfQ==', 7, null, [], { x402Version: 1 }, { x402Version: 2, payload: {} }])
      it(`what is no payment: ${JSON.stringify(payment)}`, async () => {
        const result = await call('rh_crews', { limit: 5 }, payment as never)
        expect(result.structuredContent).to.include({ code: 'payment_invalid' })
        expect(result.structuredContent?.error).to.include('malformed_payment')
      })
  })

  describe('whose client leaves', () => {
    for (const [kind, args] of [
      ['old', { limit: 6 }],
      ['negotiating', { limit: 7 }],
    ] as const)
      it(`before the money moves costs nothing, and the same payment buys it later: the ${kind} client`, async () => {
        const payment = await signFor('rh_crews', args)
        const transfers = edge.double.transfers.size
        await leaveWhileVerified(kind, args, payment)
        expect([edge.double.transfers.size, stateOf(edge, payment)]).to.deep.equal([transfers, undefined])
        expect((await call('rh_crews', args, payment)).isError ?? false).to.equal(false)
        expect(edge.double.transfers.size).to.equal(transfers + 1)
      })

    it('after the money moved is paid and not delivered, because no byte of the answer is out', async () => {
      const args = { limit: 8 }
      const payment = await signFor('rh_crews', args)
      const { abandoned } = edge
      const asked = edge.double.calls.settle
      edge.double.settleFaults.push('wait')
      const client = await openClient(edge)
      const leaving = new AbortController()
      const call = { name: 'rh_crews', arguments: args, _meta: { 'x402/payment': payment } }
      const left = client.callTool(call, leaving.signal).catch(() => 'left')
      while (edge.double.calls.settle === asked) await sleep(1)
      leaving.abort()
      expect(await left).to.equal('left')
      await client.close()
      while (edge.abandoned === abandoned) await sleep(1)
      edge.double.release()
      while (stateOf(edge, payment) === 'settling') await sleep(1)
      for (let turn = 0; turn < 10; turn++) {
        await new Promise((resolve) => setImmediate(resolve))
        await edge.ledger.flush()
      }
      expect(stateOf(edge, payment)).to.equal('settled')
    })

    it('after the first bytes of its answer is paid and not delivered', async () => {
      // The answer is too large for the socket buffers of both sides. So it is still being sent when the
      // client leaves.
      const [crew] = edge.state.crews
      edge.state.crews = [{ ...crew!, wallet: 'w'.repeat(16 * 1024 * 1024) }]
      edge.state.cut = { ...fixedCut, atMs: fixedCut.atMs + 8 }
      const args = { limit: 9 }
      const payment = await signFor('rh_crews', args)
      const { abandoned } = edge
      const { url } = await edge.get('/mcp')
      const params = { name: 'rh_crews', arguments: args, _meta: { 'x402/payment': payment } }
      const leaving = new AbortController()
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
        signal: leaving.signal,
      })
      const body = answer.body!.getReader()
      expect((await body.read()).done).to.equal(false)
      leaving.abort()
      while (edge.abandoned === abandoned) await sleep(1)
      await edge.ledger.flush()
      expect(stateOf(edge, payment)).to.equal('settled')
    })

    const leaveWhileVerified = async (
      kind: 'old' | 'negotiating',
      args: { limit: number },
      payment: PaymentPayload,
    ) => {
      const { abandoned } = edge
      const verified = edge.double.calls.verify
      edge.double.verifyFaults.push('wait')
      const client = await openClient(edge, kind)
      const leaving = new AbortController()
      const asked = { name: 'rh_crews', arguments: args, _meta: { 'x402/payment': payment } }
      const left = client.callTool(asked, leaving.signal).catch(() => 'left')
      while (edge.double.calls.verify === verified) await sleep(1)
      leaving.abort()
      expect(await left).to.equal('left')
      // The old client ends the connection only when `close` is called.
      await client.close()
      while (edge.abandoned === abandoned) await sleep(1)
      edge.double.release()
      const requestId = requestIdOf('GET /v1/rh/crews', { minBursts: 3, ...args })
      while (edge.gate.isOwed({ payment: { payload: payment }, requestId })) await sleep(1)
    }
  })

  describe('that fails', () => {
    const logged: string[] = []
    const logger = createLogger('test', 'error', { write: (line) => void logged.push(line) })
    const failing = edgeOfTests({ logger })

    it('says so under the id that the cause is logged with, and is not charged', async () => {
      const client = await openClient(failing)
      const asked = await client.callTool({ name: 'rh_crews' })
      const payment = await sign(asked.structuredContent as unknown as PaymentRequired)
      failing.state.failure = new TypeError('secret of the house')
      failing.state.cut = { ...fixedCut, atMs: fixedCut.atMs + 4 }
      const result = await client.callTool({ name: 'rh_crews', _meta: { 'x402/payment': payment } })
      await client.close()
      expect(result.isError).to.equal(true)
      expect(result.structuredContent).to.include({ code: 'internal' })
      expect(JSON.stringify(result)).to.not.include('secret')
      const [line] = logged.map((text) => JSON.parse(text) as { requestId: string; err: { message: string } })
      expect(line?.err.message).to.equal('secret of the house')
      expect(result.structuredContent?.error).to.include(line?.requestId)
      expect(failing.double.transfers.size).to.equal(0)
    })
  })

  it('has a subject that is asked for by its path', async () => {
    expect(
      JSON.parse(textOf(await buy('rh_token_rugcheck', { addr: fixedBurst.token.toUpperCase().replace('0X', '0x') }))),
    ).to.include({ token: fixedBurst.token })
    expect((await buy('rh_pool_flow', { id: fixedPool.pool })).isError ?? false).to.equal(false)
  })
})
