/**
 * Tests how payments are settled with the official client and x402's own facilitator over HTTP. The payments
 * go over a local node and a token contract that checks signatures.
 */

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { decodePaymentSignatureHeader, encodePaymentSignatureHeader } from '@x402/core/http'
import type { FacilitatorClient } from '@x402/core/server'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { expect } from 'chai'
import Koa from 'koa'
import {
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  parseAbi,
  parseSignature,
  publicActions,
  type TypedData,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createEvmNetwork } from '../../../../api/payments/evm/network.ts'
import { createHttpFacilitator } from '../../../../api/payments/facilitator/http-facilitator.ts'
import { openPaymentLedger, type PaymentLedger, type PaymentRecord } from '../../../../api/payments/ledger/ledger.ts'
import type { PaymentGate } from '../../../../api/payments/payment.ts'
import { createPaymentGate } from '../../../../api/payments/payment-gate.ts'
import { answerPaid } from '../../../../api/x402-koa/answer-paid.ts'
import { createMemoryRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import { createSchemaCodec } from '../../../../infra/codec/schema-codec.ts'
import { localChainOf, localDollarAddress } from '../../../../infra/development/payments/local-dollar.ts'
import { type LocalPayments, startLocalPayments } from '../../../../infra/development/payments/start-local-payments.ts'
import { createMemoryLog } from '../../../../infra/log/memory/memory-log.ts'
import { topics } from '../../../../schemas/topics.ts'
import { forge, forgeryKinds } from '../../../support/payments/forgeries.ts'
import { bursts, sign, strangersOf } from '../../../support/payments/paid-service.ts'

const transferTypes: TypedData = {
  TransferWithAuthorization: [
    ...['from', 'to'].map((name) => ({ name, type: 'address' })),
    ...['value', 'validAfter', 'validBefore'].map((name) => ({ name, type: 'uint256' })),
    { name: 'nonce', type: 'bytes32' },
  ],
}

describe('payments settled on a local chain', () => {
  let money: LocalPayments
  let server: Server
  let gate: PaymentGate
  let ledger: PaymentLedger
  let url: string
  /**
   * The test's replacement for the facilitator's `settle`, which the payment gate calls. The parameter `real`
   * calls the real facilitator.
   */
  let between: { settle: (real: () => Promise<unknown>) => Promise<unknown> }
  let runs: number
  let log: ReturnType<typeof createMemoryLog>
  /** The time by which the clock of the service is ahead, in milliseconds. The chain has its own clock. */
  let clock: { aheadMs: number }
  const nowMs = () => Date.now() + clock.aheadMs
  const quiet = () => {}

  before(async () => {
    money = await startLocalPayments({ isEvmAlone: true })
  })
  after(() => money?.stop())

  const openGate = async (options: Readonly<{ reconcileMs?: number }> = {}) => {
    const codec = await createSchemaCodec<PaymentRecord>(topics.payments, createMemoryRegistry())
    ledger = await openPaymentLedger({ log, codec, nowMs })
    const real = createHttpFacilitator({ url: money.facilitatorUrl })
    const facilitator: FacilitatorClient = {
      ...real,
      settle: async (...payment) => (await between.settle(() => real.settle(...payment))) as never,
    }
    const { payTo, rpcUrl } = money
    gate = await createPaymentGate({
      facilitators: [facilitator],
      networks: [createEvmNetwork({ network: 'eip155:8453', payTo, rpcUrl, isLocal: true })],
      ledger,
      publicBaseUrl: 'http://127.0.0.1',
      nowMs,
      sleep: (durationMs) => new Promise((resolve) => setTimeout(resolve, durationMs)),
      logger: { info: quiet, warn: quiet, error: quiet },
      ...options,
    })
  }

  beforeEach(async () => {
    runs = 0
    clock = { aheadMs: 0 }
    between = { settle: (real) => real() }
    log = createMemoryLog({ nowMs })
    await openGate()
    const app = new Koa({ proxy: true }).use(async (ctx) => {
      await answerPaid(ctx, gate, {
        ...bursts,
        docsUrlOf: () => 'http://127.0.0.1/docs',
        buildBody: async () => ({ bytes: Buffer.from(`{"run":${++runs}}`), cutAtMs: runs }),
        rebuildBody: async (cutAtMs) => Buffer.from(`{"run":${cutAtMs}}`),
      })
    })
    server = createServer({ maxHeaderSize: 32_768 }, app.callback())
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  })
  afterEach(async () => {
    server.closeAllConnections()
    server.close()
    await gate.close()
  })

  const earned = async (work: () => Promise<void>): Promise<bigint> => {
    const before = await money.usdcBalanceOf(money.payTo)
    await work()
    return (await money.usdcBalanceOf(money.payTo)) - before
  }
  const buyer = () => privateKeyToAccount(money.buyerPrivateKey)
  const officialClient = () => new x402Client().register('eip155:8453', new ExactEvmScheme(buyer()))
  const sendWith = (header: string, address = '198.51.100.9') =>
    fetch(url, { headers: { 'payment-signature': header, 'x-forwarded-for': address } })
  const signHeader = async () => {
    const answer = await gate.requirePayment(bursts)
    if (answer.kind !== 'paymentRequired') throw new TypeError(answer.kind)
    const payload = await officialClient().createPaymentPayload(answer.body)
    return encodePaymentSignatureHeader(payload)
  }
  /**
   * Signs an authorization whose validity began only 3 s ago. The official clients set an earlier
   * `validAfter`.
   */
  const signYoungHeader = async () => {
    const payload = decodePaymentSignatureHeader(await signHeader())
    const official = payload.payload.authorization as Record<string, string>
    const authorization = { ...official, validAfter: String(Math.floor(nowMs() / 1000) - 3) }
    const signature = await buyer().signTypedData({
      domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: localDollarAddress },
      types: transferTypes,
      primaryType: 'TransferWithAuthorization',
      message: authorization,
    })
    return encodePaymentSignatureHeader({ ...payload, payload: { authorization, signature } })
  }

  const cancel = async (authorization: { authorizer: Hex; nonce: Hex }) => {
    const chain = localChainOf(money.rpcUrl)
    const wallet = createWalletClient({ account: buyer(), chain, transport: http(), pollingInterval: 50 }).extend(
      publicActions,
    )
    const signature = await buyer().signTypedData({
      domain: { name: 'USD Coin', version: '2', chainId: chain.id, verifyingContract: localDollarAddress },
      types: {
        CancelAuthorization: [
          { name: 'authorizer', type: 'address' },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      primaryType: 'CancelAuthorization',
      message: authorization,
    })
    const { r, s, v } = parseSignature(signature)
    const hash = await wallet.writeContract({
      address: localDollarAddress,
      abi: parseAbi(['function cancelAuthorization(address, bytes32, uint8 v, bytes32 r, bytes32 s)']),
      functionName: 'cancelAuthorization',
      args: [authorization.authorizer, authorization.nonce, Number(v), r, s],
    })
    await wallet.waitForTransactionReceipt({ hash })
  }

  it('moves the price from the buyer to the seller for one answer', async () => {
    const moved = await earned(async () => {
      const response = await wrapFetchWithPayment(fetch, officialClient())(url)
      expect([response.status, await response.text()]).to.deep.equal([200, '{"run":1}'])
      const receipt = decodePaymentResponseHeader(response.headers.get('payment-response') ?? '')
      expect(receipt).to.include({ success: true, network: 'eip155:8453', payer: money.buyer })
      expect(receipt.transaction).to.match(/^0x[0-9a-f]{64}$/)
    })
    expect(moved).to.equal(10_000n)
  })

  it('takes, when nothing was mined for long, an authorization that is younger than the head', async () => {
    const moved = await earned(async () => {
      await sleep(5_000)
      const response = await sendWith(await signYoungHeader())
      expect([response.status, await response.text()]).to.deep.equal([200, '{"run":1}'])
    })
    expect(moved).to.equal(10_000n)
  })

  it('moves it once for five copies at once and one later', async () => {
    const moved = await earned(async () => {
      const header = await signHeader()
      const copies = await Promise.all(Array.from({ length: 5 }, () => sendWith(header)))
      const later = await sendWith(header)
      const bodies = await Promise.all([...copies, later].map((response) => response.text()))
      expect(new Set(bodies)).to.deep.equal(new Set(['{"run":1}']))
    })
    expect(moved).to.equal(10_000n)
  })

  it('settles twelve payments at once through one facilitator account', async () => {
    const moved = await earned(async () => {
      const headers = await Promise.all(Array.from({ length: 12 }, signHeader))
      const responses = await Promise.all(headers.map((header) => sendWith(header)))
      const answers = await Promise.all(responses.map(async (each) => (each.ok ? each.status : each.text())))
      expect(answers).to.deep.equal(Array(12).fill(200))
    })
    expect(moved).to.equal(120_000n)
  })

  it('finds on the chain a transfer whose answer was lost', async () => {
    const moved = await earned(async () => {
      between.settle = async (real) => {
        await real()
        throw new TypeError('connection lost')
      }
      const response = await sendWith(await signHeader())
      expect(response.status).to.equal(200)
      expect(decodePaymentResponseHeader(response.headers.get('payment-response') ?? '').transaction).to.match(/^0x/)
    })
    expect(moved).to.equal(10_000n)
  })

  /**
   * Makes `settle` answer with the result of `says`. The returned function sends the transfer of the last
   * `settle` call.
   */
  const settleLater = (says: () => Promise<unknown>): (() => Promise<unknown>) => {
    let send: () => Promise<unknown> = async () => null
    between.settle = (real) => {
      send = real
      return says()
    }
    return () => send()
  }

  for (const [name, fail, status, says] of [
    [
      'that the facilitator refused',
      async () => ({ success: false, errorReason: 'insufficient_funds', transaction: '', network: 'eip155:8453' }),
      402,
      /^The facilitator refused the payment: insufficient_funds\. No transfer of this payment is known\..*same PAYMENT-SIGNATURE/,
    ],
    [
      'of which the facilitator said nothing',
      () => Promise.reject(new TypeError('no answer')),
      503,
      /^It is not known yet whether the payment arrived\..*same PAYMENT-SIGNATURE/,
    ],
  ] as const)
    it(`buys its answer with a transfer ${name}, sent after the client was answered, for a day`, async () => {
      await gate.close()
      await openGate({ reconcileMs: 300 })
      const header = await signHeader()
      const moved = await earned(async () => {
        const send = settleLater(fail)
        const early = await sendWith(header)
        const { error } = (await early.json()) as { error: string }
        expect([early.status, error.match(says)?.length, /not charged|nothing was charged/i.test(error)]).to.deep.equal(
          [status, 1, false],
        )
        await send()
        await gate.reconcile()
        expect(ledger.unresolved()).to.deep.equal([])
        between.settle = () => expect.fail()
        // The transfer was settled, but the client repeats the request about one day later.
        clock.aheadMs = 86_000_000
        await gate.reconcile()
        const answers = [await sendWith(header), await sendWith(header)]
        expect(answers.map(({ status }) => status)).to.deep.equal([200, 200])
        expect([await answers[0]?.text(), runs]).to.deep.equal(['{"run":1}', 1])
      })
      expect(moved).to.equal(10_000n)
    })

  it('buys its answer with a late transfer that the repeat finds before the upkeep does', async () => {
    await gate.close()
    await openGate({ reconcileMs: 300 })
    const header = await signHeader()
    const moved = await earned(async () => {
      const send = settleLater(() => Promise.reject(new TypeError('no answer')))
      expect((await sendWith(header)).status).to.equal(503)
      expect((await sendWith(header)).status, 'and nothing yet').to.equal(503)
      await send()
      expect(await (await sendWith(header)).text()).to.equal('{"run":1}')
      expect(runs).to.equal(1)
    })
    expect(moved).to.equal(10_000n)
  })

  it('after a crash between transfer and record delivers the same bytes for the same signature', async () => {
    const header = await signHeader()
    const moved = await earned(async () => {
      let settled = () => {}
      const isSettled = new Promise<void>((resolve) => {
        settled = resolve
      })
      between.settle = async (real) => {
        await real()
        settled()
        // The process ends here, before it has recorded the transfer.
        return new Promise(() => {})
      }
      const dying = fetch(url, { headers: { 'payment-signature': header } }).catch(() => null)
      await isSettled
      server.closeAllConnections()
      await dying
      await openGate()
      expect(ledger.unresolved().map(({ state }) => state)).to.deep.equal(['settling'])
      await gate.reconcile()
      expect(ledger.unresolved()).to.deep.equal([])
      const response = await sendWith(header)
      expect([response.status, await response.text(), runs]).to.deep.equal([200, '{"run":1}', 1])
    })
    expect(moved).to.equal(10_000n)
  })

  it('does not take for paid what the buyer cannot pay', async () => {
    const answer = await gate.requirePayment(bursts)
    if (answer.kind !== 'paymentRequired') throw new TypeError(answer.kind)
    const moved = await earned(async () => {
      const response = await sendWith(encodePaymentSignatureHeader(await sign(answer.body)))
      expect(response.status).to.equal(402)
      expect(((await response.json()) as { error: string }).error).to.include('insufficient_balance')
    })
    expect([moved, runs]).to.deep.equal([0n, 0])
  })

  it('takes the signature of nobody else: the facilitator refuses it fresh, and a copy gets no stored answer', async () => {
    const header = await signHeader()
    const strangers = strangersOf(decodePaymentSignatureHeader(header)).map(encodePaymentSignatureHeader)
    // A signature has a valid variant with the same r. The local token contract accepts this variant, but the
    // real token refuses it. The gate must refuse it first.
    const forged = strangers.filter((_, index) => index !== 1)
    const codesOf = async (headers: readonly string[]) => {
      const answers: unknown[] = []
      for (const stranger of headers) answers.push(await (await sendWith(stranger)).json())
      return answers.map((answer) => (answer as { code: string }).code)
    }
    const moved = await earned(async () => {
      expect(await codesOf(forged)).to.deep.equal(forged.map(() => 'payment_invalid'))
      expect(runs).to.equal(0)
      expect((await sendWith(header)).status).to.equal(200)
      expect(await codesOf(forged)).to.deep.equal(forged.map(() => 'payment_already_used'))
      expect(await codesOf(strangers.slice(1, 2))).to.deep.equal(['payment_invalid'])
    })
    expect([moved, runs]).to.deep.equal([10_000n, 1])
  })

  it('sells and quotes beside a storm of forged payments of many addresses', async () => {
    const honest = decodePaymentSignatureHeader(await signHeader())
    const forged = Array.from({ length: 60 }, async (_, index) => {
      const kind = forgeryKinds[index % forgeryKinds.length] as (typeof forgeryKinds)[number]
      return (await sendWith(await forge(honest, kind), `203.0.113.${index % 20}`)).status
    })
    const moved = await earned(async () => {
      for (let turn = 0; turn < 5; turn++) {
        expect((await fetch(url)).status).to.equal(402)
        expect((await sendWith(await signHeader())).status).to.equal(200)
      }
    })
    expect(moved).to.equal(50_000n)
    expect((await Promise.all(forged)).filter((status) => status !== 402 && status !== 503)).to.deep.equal([])
  })

  /** Signs a transfer of any value to anyone under a nonce, and returns the call that makes it. */
  const transferCall = async (to: Hex, value: bigint, nonce: Hex) => {
    const { address: from } = buyer()
    const message = { from, to, value, validAfter: 0n, validBefore: BigInt(Math.floor(nowMs() / 1000) + 600), nonce }
    const signature = await buyer().signTypedData({
      domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: localDollarAddress },
      types: transferTypes,
      primaryType: 'TransferWithAuthorization',
      message,
    })
    const { r, s, v } = parseSignature(signature)
    const callData = encodeFunctionData({
      abi: parseAbi([
        'function transferWithAuthorization(address, address, uint256, uint256, uint256, bytes32, uint8 v, bytes32 r, bytes32 s)',
      ]),
      args: [from, to, value, message.validAfter, message.validBefore, nonce, Number(v), r, s],
    })
    return { target: localDollarAddress as Hex, callData }
  }

  /** Makes all calls in one transaction. */
  const sendTogether = async (calls: readonly Awaited<ReturnType<typeof transferCall>>[]) => {
    const chain = localChainOf(money.rpcUrl)
    const wallet = createWalletClient({ account: buyer(), chain, transport: http(), pollingInterval: 50 }).extend(
      publicActions,
    )
    const hash = await wallet.writeContract({
      address: '0xcA11bde05977b3631167028862bE2a173976CA11',
      abi: parseAbi([
        'struct Call { address target; bytes callData; }',
        'function tryAggregate(bool requireSuccess, Call[] calls) payable',
      ]),
      functionName: 'tryAggregate',
      args: [true, calls],
    })
    expect((await wallet.waitForTransactionReceipt({ hash })).status).to.equal('success')
  }

  it('sells one answer for one transfer when its transaction also uses up the nonces of other payments', async () => {
    await gate.close()
    await openGate({ reconcileMs: 300 })
    between.settle = () => Promise.reject(new TypeError('no answer'))
    const headers = await Promise.all(Array.from({ length: 4 }, signHeader))
    for (const header of headers) expect((await sendWith(header)).status).to.equal(503)
    const moved = await earned(async () => {
      const nonces = headers.map(
        (header) => decodePaymentSignatureHeader(header).payload.authorization as { nonce: Hex },
      )
      const [paid, ...unpaid] = nonces.map(({ nonce }) => nonce) as [Hex, Hex, Hex, Hex]
      const empty = await Promise.all(unpaid.map((nonce) => transferCall(money.buyer as Hex, 0n, nonce)))
      await sendTogether([...empty, await transferCall(money.payTo as Hex, 10_000n, paid)])
      const answers = await Promise.all(headers.map((header) => sendWith(header)))
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 503, 503, 503])
      await gate.reconcile()
      expect(ledger.unresolved()).to.have.length(3)
    })
    expect(moved).to.equal(10_000n)
  })

  it('does not take a cancelled authorization for a paid one', async () => {
    const header = await signHeader()
    const { nonce, from } = decodePaymentSignatureHeader(header).payload.authorization as { nonce: Hex; from: Hex }
    const payment = {
      paymentId: `eip155:8453|${localDollarAddress}|${from}|${nonce}`.toLowerCase(),
      usdMicros: 10_000,
      validBeforeMs: nowMs() + 60_000,
    }
    await cancel({ authorizer: from, nonce })
    const { payTo, rpcUrl } = money
    const network = createEvmNetwork({ network: 'eip155:8453', payTo, rpcUrl })
    expect(await network.probe(payment)).to.deep.equal({ kind: 'unpaid' })
    const moved = await earned(async () => {
      const response = await sendWith(header)
      expect([response.status, runs]).to.deep.equal([402, 0])
    })
    expect(moved).to.equal(0n)
  })

  it('sees on the chain that a payment is not there', async () => {
    const { payTo, rpcUrl } = money
    const network = createEvmNetwork({ network: 'eip155:8453', payTo, rpcUrl })
    const paymentId = `eip155:8453|${network.asset}|${money.buyer}|0x${'ab'.repeat(32)}`.toLowerCase()
    const probe = (validBeforeMs: number) => network.probe({ paymentId, usdMicros: 1, validBeforeMs })
    await money.catchUp()
    expect(await probe(nowMs() + 60_000)).to.deep.equal({ kind: 'unpaid' })
    expect(await probe(nowMs() - 30_000)).to.deep.equal({ kind: 'unpaid' })
    expect(await probe(nowMs() - 65_000)).to.deep.equal({ kind: 'expired' })
  })
})
