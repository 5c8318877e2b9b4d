import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import Koa from 'koa'
import { createEvmNetwork } from '../../../../api/payments/evm/network.ts'
import { createHttpFacilitator } from '../../../../api/payments/facilitator/http-facilitator.ts'
import { openPaymentLedger, type PaymentRecord } from '../../../../api/payments/ledger/ledger.ts'
import type { PaymentGate } from '../../../../api/payments/payment.ts'
import { createPaymentGate } from '../../../../api/payments/payment-gate.ts'
import { createSvmNetwork } from '../../../../api/payments/svm/network.ts'
import { answerPaid } from '../../../../api/x402-koa/answer-paid.ts'
import { createMemoryRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import { createSchemaCodec } from '../../../../infra/codec/schema-codec.ts'
import { runPay } from '../../../../infra/command-line/pay.ts'
import { type LocalPayments, startLocalPayments } from '../../../../infra/development/payments/start-local-payments.ts'
import { isOperationError } from '../../../../infra/errors.ts'
import { createMemoryLog } from '../../../../infra/log/memory/memory-log.ts'
import { topics } from '../../../../schemas/topics.ts'
import { closeAll } from '../../../support/close-all.ts'
import { bursts } from '../../../support/payments/paid-service.ts'

describe('launch-data pay', () => {
  let money: LocalPayments
  let solana: NonNullable<LocalPayments['solana']>
  let server: Server
  let gate: PaymentGate
  let baseUrl: string
  let says: { isLocal: boolean }
  const nowMs = () => Date.now()
  const quiet = () => {}

  before(async () => {
    money = await startLocalPayments()
    if (money.solana === null) return expect.fail('the local Solana chain did not start')
    solana = money.solana
    says = { isLocal: true }
    const codec = await createSchemaCodec<PaymentRecord>(topics.payments, createMemoryRegistry())
    gate = await createPaymentGate({
      facilitators: [createHttpFacilitator({ url: money.facilitatorUrl })],
      networks: [
        createEvmNetwork({ network: 'eip155:8453', payTo: money.payTo, rpcUrl: money.rpcUrl, isLocal: true }),
        await createSvmNetwork({ ...solana, isLocal: true, nowMs }),
      ],
      ledger: await openPaymentLedger({ log: createMemoryLog({ nowMs }), codec, nowMs }),
      publicBaseUrl: 'http://127.0.0.1',
      nowMs,
      sleep: (durationMs) => new Promise((resolve) => setTimeout(resolve, durationMs)),
      logger: { info: quiet, warn: quiet, error: quiet },
    })
    const rows = Array.from({ length: 100 }, (_, row) => ({ row }))
    const app = new Koa().use(async (ctx) => {
      const { networks, ...payments } = gate.describe()
      if (ctx.path === '/')
        ctx.body = { payments: { ...payments, networks: networks.map((network) => ({ ...network, ...says })) } }
      else if (ctx.path === '/missing') ctx.status = 404
      else
        await answerPaid(ctx, gate, {
          ...bursts,
          docsUrlOf: () => 'http://127.0.0.1/docs',
          buildBody: async () => ({ bytes: Buffer.from(JSON.stringify({ rows })), cutAtMs: 1 }),
        })
    })
    server = createServer(app.callback())
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(async () => {
    server?.closeAllConnections()
    server?.close()
    await closeAll(gate?.close, money?.stop)
  })
  beforeEach(() => {
    says.isLocal = true
  })

  const pay = async (overrides: Partial<Parameters<typeof runPay>[0]> = {}): Promise<string> => {
    const printed: string[] = []
    await runPay({
      baseUrl,
      path: '/v1/rh/bursts/live',
      isFull: false,
      isVerbose: false,
      network: 'evm',
      isReal: false,
      wallet: { privateKey: null, rpcUrl: null },
      print: (text) => printed.push(text),
      ...overrides,
    })
    return printed.join('\n')
  }
  const failure = async (overrides: Partial<Parameters<typeof runPay>[0]>): Promise<unknown> =>
    pay(overrides).then(
      () => null,
      (error: unknown) => error,
    )

  it('prints the price, the payment and the receipt in a line each, then the answer', async () => {
    const [ask, price, payment, receipt, ...body] = (await pay()).split('\n')
    expect(ask).to.equal(`> GET ${baseUrl}/v1/rh/bursts/live`)
    expect(price).to.match(/^< 402 Payment Required: 0\.01 USDC on eip155:8453, to 0x[0-9a-fA-F]{40}$/)
    expect(payment).to.equal(`${ask}: with a signed payment of 0.01 USDC on eip155:8453, from ${money.buyer}`)
    expect(receipt).to.match(/^< 200 OK: paid by transaction 0x[0-9a-f]{64}$/)
    const rows = ['{"row":0}', '{"row":1}', '{"row":2}', '… 97 more; --full prints them']
    expect(body).to.deep.equal(['rows:', ...rows.map((row) => `  ${row}`)])
    expect(await money.usdcBalanceOf(money.payTo)).to.equal(10_000n)
  })

  it('prints the 402, the payment and the receipt as they were sent when verbose, and no signature', async () => {
    const text = await pay({ isVerbose: true })
    expect(text).to.match(/< 402.*PAYMENT-REQUIRED.*> PAYMENT-SIGNATURE.*< 200.*PAYMENT-RESPONSE.*"transaction": "0x/s)
    expect(text).to.include(`"payer": "${money.buyer}"`)
    expect(text).to.not.match(/"signature"|"nonce"/)
  })

  it('pays on Solana when told to, with the development key or with a given one', async () => {
    const text = await pay({ network: 'solana', isVerbose: true })
    expect(text).to.match(/< 402.*PAYMENT-REQUIRED.*> PAYMENT-SIGNATURE.*< 200.*PAYMENT-RESPONSE.*"network": "solana:/s)
    expect(text).to.include(`"payer": "${solana.buyer}"`)
    expect(await solana.usdcBalanceOf(solana.payTo)).to.equal(10_000n)
    says.isLocal = false
    const wallet = { privateKey: solana.buyerPrivateKey, rpcUrl: solana.rpcUrl }
    expect(isOperationError(await failure({ network: 'solana', isReal: true }), 'config_invalid')).to.equal(true)
    expect(await pay({ network: 'solana', isReal: true, wallet })).to.include('< 200')
    expect(await solana.usdcBalanceOf(solana.payTo)).to.equal(20_000n)
  })

  it('shortens the body unless told not to', async () => {
    expect(await pay()).to.not.include('"row":3')
    expect(await pay({ isFull: true })).to.include('"row": 99')
  })

  it('refuses, before it signs anything, to pay a service that takes real money with the development key', async () => {
    says.isLocal = false
    const balance = await money.usdcBalanceOf(money.payTo)
    expect(isOperationError(await failure({}), 'config_invalid')).to.equal(true)
    expect(isOperationError(await failure({ isReal: true }), 'config_invalid')).to.equal(true)
    expect(await money.usdcBalanceOf(money.payTo)).to.equal(balance)
  })

  it('pays with the given key if --real is set', async () => {
    says.isLocal = false
    expect(await pay({ isReal: true, wallet: { privateKey: money.buyerPrivateKey, rpcUrl: null } })).to.include('< 200')
  })

  it('reports the response if it is not an answer', async () => {
    expect(isOperationError(await failure({ path: '/missing' }), 'payment_failed')).to.equal(true)
    expect(isOperationError(await failure({ baseUrl: 'http://127.0.0.1:1' }), 'payment_failed')).to.equal(true)
  })
})
