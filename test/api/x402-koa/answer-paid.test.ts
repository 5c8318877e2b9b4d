import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { decodePaymentRequiredHeader, decodePaymentResponseHeader, encodePaymentSignatureHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { expect } from 'chai'
import Koa from 'koa'
import { privateKeyToAccount } from 'viem/accounts'
import { answerPaid, type PaidAnswer, paymentOf } from '../../../api/x402-koa/answer-paid.ts'
import { type FacilitatorDouble, startFacilitatorDouble } from '../../support/payments/facilitator-double.ts'
import {
  bursts,
  buyerKey,
  createTestClock,
  memoryLog,
  openPaidService,
  type PaidService,
  signFor,
} from '../../support/payments/paid-service.ts'

describe('the payment of a request', () => {
  const contextOf = (req: object, header: string) => ({ req, get: () => header }) as unknown as Koa.Context

  it('is one value, however often it is asked for', () => {
    const ctx = contextOf({}, 'abc')
    expect(paymentOf(ctx)).to.deep.equal({ header: 'abc' })
    expect(paymentOf(ctx)).to.equal(paymentOf(ctx))
  })

  it('is no other request’s, and null where none was sent', () => {
    expect(paymentOf(contextOf({}, 'abc'))).to.not.equal(paymentOf(contextOf({}, 'abc')))
    expect(paymentOf(contextOf({}, ''))).to.equal(null)
  })
})

describe('paid answers on Koa', () => {
  let double: FacilitatorDouble
  let service: PaidService
  let clock: ReturnType<typeof createTestClock>
  let server: Server
  let url: string
  let handler: { runs: number; fails: boolean; bytes: Buffer | null; answer: Partial<PaidAnswer> }

  beforeEach(async () => {
    double = await startFacilitatorDouble()
    clock = createTestClock()
    service = await openPaidService(double, { log: memoryLog(clock), clock })
    handler = { runs: 0, fails: false, bytes: null, answer: {} }
    const app = new Koa()
    app.silent = true
    app.use(async (ctx) => {
      if (ctx.method === 'POST') for await (const _ of ctx.req);
      const buildBody = async () => {
        handler.runs += 1
        if (handler.fails) ctx.throw(503, 'stale')
        return { bytes: handler.bytes ?? Buffer.from(`{"run":${handler.runs}}`), cutAtMs: 1 }
      }
      const docsUrlOf = (code: string) => `https://data.example/docs/errors/${code}`
      await answerPaid(ctx, service.gate, { ...bursts, docsUrlOf, buildBody, ...handler.answer })
    })
    server = createServer({ maxHeaderSize: 32_768 }, app.callback())
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/rh/bursts/live`
  })
  afterEach(async () => {
    server.closeAllConnections()
    server.close()
    await service.gate.close()
    await double.stop()
  })

  const signedHeaders = async () => ({
    'payment-signature': encodePaymentSignatureHeader(await signFor(service.gate)),
  })
  const lastState = () => service.recorded.at(-1)

  it('asks an unpaid call for money: header, JSON body with code and docs, never a page', async () => {
    const response = await fetch(url, { headers: { accept: 'text/html', 'user-agent': 'Mozilla/5.0' } })
    expect(response.status).to.equal(402)
    expect(response.headers.get('cache-control')).to.equal('private, no-store')
    expect(response.headers.get('content-type')).to.equal('application/json; charset=utf-8')
    expect(response.headers.get('payment-response')).to.equal(null)
    const { code, docs, ...required } = (await response.json()) as Record<string, unknown>
    expect({ code, docs }).to.deep.equal({
      code: 'payment_required',
      docs: 'https://data.example/docs/errors/payment_required',
    })
    expect(required).to.deep.equal(decodePaymentRequiredHeader(response.headers.get('payment-required') ?? ''))
    expect(handler.runs).to.equal(0)
  })

  it('sells to a request whose body was read', async () => {
    const response = await fetch(url, { method: 'POST', body: 'a question', headers: await signedHeaders() })
    expect([response.status, await response.text()]).to.deep.equal([200, '{"run":1}'])
  })

  it('gives the official client the answer and a receipt', async () => {
    const client = new x402Client().register('eip155:8453', new ExactEvmScheme(privateKeyToAccount(buyerKey)))
    const response = await wrapFetchWithPayment(fetch, client)(url)
    expect([response.status, await response.text()]).to.deep.equal([200, '{"run":1}'])
    expect(response.headers.get('cache-control')).to.equal('private, no-store')
    expect(decodePaymentResponseHeader(response.headers.get('payment-response') ?? '').success).to.equal(true)
    expect(double.transfers.size).to.equal(1)
  })

  it('answers HEAD with the 402 and its header, paid or not, and runs nothing', async () => {
    for (const headers of [{}, await signedHeaders()]) {
      const response = await fetch(url, { method: 'HEAD', headers })
      expect([response.status, await response.text()]).to.deep.equal([402, ''])
      expect(response.headers.get('payment-required')).to.be.a('string')
    }
    expect([handler.runs, double.calls.verify, double.transfers.size]).to.deep.equal([0, 0, 0])
  })

  it('answers 503 with Retry-After before any 402 when no payment can be taken', async () => {
    double.reachable.value = false
    await service.gate.refresh()
    const response = await fetch(url)
    expect([response.status, response.headers.get('retry-after')]).to.deep.equal([503, '5'])
    expect(await response.json()).to.deep.equal({
      error:
        'The service cannot take payments at the moment. This request was not charged. Wait, then repeat the request',
      code: 'payments_not_live',
      docs: 'https://data.example/docs/errors/payments_not_live',
    })
    expect(response.headers.get('payment-required')).to.equal(null)
  })

  it('gives a refused settlement a 402 with both headers, and no dump of the facilitator in them', async () => {
    double.settleFaults.push('refuse')
    const response = await fetch(url, { headers: await signedHeaders() })
    expect(response.status).to.equal(402)
    expect(response.headers.get('payment-required')).to.be.a('string')
    const receipt = decodePaymentResponseHeader(response.headers.get('payment-response') ?? '')
    expect(receipt).to.include({ success: false, errorReason: 'invalid_exact_evm_insufficient_balance' })
    expect(receipt).to.not.have.property('errorMessage')
  })

  it('throws the failure of the handler on, without a receipt or a charge', async () => {
    handler.fails = true
    const response = await fetch(url, { headers: await signedHeaders() })
    expect([response.status, response.headers.get('payment-response')]).to.deep.equal([503, null])
    expect([double.calls.settle, double.transfers.size]).to.deep.equal([0, 0])
  })

  it('does not charge a client that hung up while its payment was checked', async () => {
    const headers = await signedHeaders()
    double.verifyFaults.push('wait')
    const { port, hostname, pathname } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: x\r\nPAYMENT-SIGNATURE: ${headers['payment-signature']}\r\n\r\n`)
    while (double.calls.verify === 0) await new Promise((resolve) => setImmediate(resolve))
    const connections = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)))
    socket.destroy()
    while ((await connections()) > 0) await new Promise((resolve) => setImmediate(resolve))
    double.release()
    while (handler.runs === 0) await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => setImmediate(resolve))
    expect([double.calls.settle, double.transfers.size]).to.deep.equal([0, 0])
    const response = await fetch(url, { headers })
    expect([response.status, double.transfers.size]).to.deep.equal([200, 1])
  })

  it('marks an answer delivered once it left completely', async () => {
    const headers = await signedHeaders()
    await (await fetch(url, { headers })).text()
    while (lastState() === 'settled') await service.gate.reconcile()
    expect(service.recorded).to.deep.equal(['settling', 'settled', 'delivered'])
  })

  const leaves: [string, (socket: Socket) => void][] = [
    ['breaks the connection', (socket) => socket.destroy()],
    ['ends its side first', (socket) => socket.end(() => socket.destroy())],
  ]
  for (const [what, leave] of leaves)
    it(`marks no answer delivered that its client did not read to the end: it ${what}`, async () => {
      // The answer is too large for the socket buffers.
      handler.bytes = Buffer.alloc(64 * 1024 * 1024, ' ')
      const headers = await signedHeaders()
      const { port, hostname, pathname } = new URL(url)
      const isClosed = once(server, 'request').then(([, response]) => once(response, 'close'))
      const socket = connect(Number(port), hostname)
      socket.write(`GET ${pathname} HTTP/1.1\r\nHost: x\r\nPAYMENT-SIGNATURE: ${headers['payment-signature']}\r\n\r\n`)
      await once(socket, 'data')
      socket.pause()
      leave(socket)
      await isClosed
      await service.gate.reconcile()
      expect(service.recorded).to.deep.equal(['settling', 'settled'])
    })

  it('tells the whole seconds since its cut, by the wall clock unless told otherwise, and none of a cut to come', async () => {
    const ageAt = async (nowMs: number) => {
      handler.answer = { nowMs: () => nowMs }
      return (await fetch(url, { headers: await signedHeaders() })).headers.get('age')
    }
    expect([await ageAt(1), await ageAt(1_000), await ageAt(1_001), await ageAt(-5_000)]).to.deep.equal([
      '0',
      '0',
      '1',
      '0',
    ])
    handler.answer = {}
    const before = Math.floor((Date.now() - 1) / 1000)
    const age = Number((await fetch(url, { headers: await signedHeaders() })).headers.get('age'))
    expect(age).to.be.within(before, Math.floor(Date.now() / 1000))
  })

  it('counts refused payments by the address that it is told, else by that of the connection', async () => {
    const refuse = async () => {
      double.verifyFaults.push('refuse')
      return fetch(url, { headers: await signedHeaders() })
    }
    handler.answer = { clientAddress: '203.0.113.4' }
    for (let turn = 0; turn < 31; turn++) {
      expect((await refuse()).status).to.equal(402)
      clock.advance(100)
    }
    const beforeMs = clock.nowMs()
    expect((await refuse()).status).to.equal(402)
    expect(clock.nowMs() - beforeMs, 'it had to wait').to.be.greaterThan(0)
    for (const told of [{}, { clientAddress: '203.0.113.5' }]) {
      handler.answer = told
      expect((await fetch(url, { headers: await signedHeaders() })).status).to.equal(200)
    }
  })

  it('counts refused payments of two addresses apart, though both come over one connection', async () => {
    for (let turn = 0; turn < 60; turn++) {
      handler.answer = { clientAddress: `203.0.113.${6 + (turn % 2)}` }
      double.verifyFaults.push('refuse')
      const startMs = clock.nowMs()
      expect((await fetch(url, { headers: await signedHeaders() })).status).to.equal(402)
      expect(clock.nowMs(), 'it did not have to wait').to.equal(startMs)
      clock.advance(50)
    }
  })

  it('refuses a header over 12 KB with a 402', async () => {
    const response = await fetch(url, { headers: { 'payment-signature': 'A'.repeat(13_000) } })
    expect(response.status).to.equal(402)
    expect(await response.json()).to.include({ code: 'payment_invalid' })
  })
})
