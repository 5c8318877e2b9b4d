/**
 * Tests the service's real HTTP server. The official client pays on both networks, and payments are settled
 * on real chains.
 */
import { getBase64Decoder, getBase64Encoder, getTransactionDecoder, getTransactionEncoder } from '@solana/kit'
import { decodePaymentSignatureHeader, encodePaymentSignatureHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import { expect } from 'chai'
import { privateKeyToAccount } from 'viem/accounts'
import { svmNetwork } from '../../api/payments/svm/names.ts'
import { solanaSigner } from '../../infra/development/payments/solana-dollar.ts'
import { type LocalPayments, startLocalPayments } from '../../infra/development/payments/start-local-payments.ts'
import { createMemoryLog } from '../../infra/log/memory/memory-log.ts'
import { forgottenAs } from '../api/payments/purchase-world.ts'
import { type LocalShop, openLocalShop } from '../support/payments/local-shop.ts'

const path = '/v1/rh/bursts/live'

describe('the service, paid on both networks', () => {
  let money: LocalPayments
  let solana: NonNullable<LocalPayments['solana']>
  let log: ReturnType<typeof createMemoryLog>
  let shop: LocalShop

  before(async () => {
    money = await startLocalPayments()
    if (money.solana === null) return expect.fail('the local Solana chain did not start')
    solana = money.solana
  })
  after(() => money?.stop())
  beforeEach(async () => {
    log = createMemoryLog({ nowMs: Date.now })
    shop = await openLocalShop({ money, log })
  })
  afterEach(() => shop.close())

  const url = () => new URL(path, shop.url)
  const evm = () => new ExactEvmScheme(privateKeyToAccount(money.buyerPrivateKey))
  const svm = async () => new ExactSvmScheme(await solanaSigner('buyer'), { rpcUrl: solana.rpcUrl })
  const balances = async () => [await money.usdcBalanceOf(money.payTo), await solana.usdcBalanceOf(solana.payTo)]
  const earned = async (work: () => Promise<void>): Promise<bigint[]> => {
    const before = await balances()
    await work()
    const after = await balances()
    return after.map((balance, index) => balance - (before[index] ?? 0n))
  }
  const send = (header: string) => fetch(url(), { headers: { 'payment-signature': header } })
  /** Returns a payment that the official client signs for Solana, without sending it. */
  const signOnSolana = async () => {
    const required = (await (await fetch(url())).json()) as Parameters<x402Client['createPaymentPayload']>[0]
    return new x402Client().register(svmNetwork, await svm()).createPaymentPayload(required)
  }
  const withFeePayerSlot = (payload: Awaited<ReturnType<typeof signOnSolana>>, fill: number) => {
    const bytes = getBase64Encoder().encode(String(payload.payload.transaction))
    const { messageBytes, signatures } = getTransactionDecoder().decode(bytes)
    const filled = { ...signatures, [solana.feePayer.address]: new Uint8Array(64).fill(fill) }
    const wire = getTransactionEncoder().encode({ messageBytes, signatures: filled } as never)
    return { ...payload, payload: { transaction: getBase64Decoder().decode(wire) } }
  }

  it('takes the price from the official client on the network that the client knows', async () => {
    const buy = async (client: x402Client) => {
      const response = await wrapFetchWithPayment(fetch, client)(url())
      expect(response.status).to.equal(200)
      return decodePaymentResponseHeader(response.headers.get('payment-response') ?? '')
    }
    const moved = await earned(async () => {
      const onBase = await buy(new x402Client().register('eip155:8453', evm()))
      expect(onBase).to.include({ success: true, network: 'eip155:8453', payer: money.buyer })
    })
    expect(moved).to.deep.equal([10_000n, 0n])
    const movedThen = await earned(async () => {
      const onSolana = await buy(new x402Client().register(svmNetwork, await svm()))
      expect(onSolana).to.include({ success: true, network: svmNetwork, payer: solana.buyer })
      expect(onSolana.transaction).to.match(/^[1-9A-HJ-NP-Za-km-z]{86,88}$/)
    })
    expect(movedThen).to.deep.equal([0n, 10_000n])
    const both = new x402Client().register('eip155:8453', evm()).register(svmNetwork, await svm())
    expect(await earned(async () => void (await buy(both))), 'Base is offered first').to.deep.equal([10_000n, 0n])
  })

  it('moves one message once for five copies in other bytes, and gives its bytes again after a restart', async () => {
    const payload = await signOnSolana()
    const headers = [payload, ...[1, 2, 3, 4].map((fill) => withFeePayerSlot(payload, fill))].map((copy) =>
      encodePaymentSignatureHeader(copy),
    )
    const moved = await earned(async () => {
      const answers = await Promise.all(headers.map(send))
      const bodies = new Set(await Promise.all(answers.map((answer) => answer.text())))
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(5).fill(200))
      await shop.close()
      shop = await openLocalShop({ money, log })
      for (const header of [headers[0] ?? '', headers[3] ?? '']) {
        const again = await send(header)
        expect(again.status).to.equal(200)
        bodies.add(await again.text())
      }
      expect(bodies.size).to.equal(1)
    })
    expect(moved).to.deep.equal([0n, 10_000n])
  })

  it('takes nothing for a payment of Solana that the buyer did not sign or whose time is over', async () => {
    const payload = await signOnSolana()
    const forged = Buffer.from(String(payload.payload.transaction), 'base64')
    forged.fill(7, 65, 129)
    const errorOf = async (answer: Response) => ((await answer.json()) as { error: string }).error
    const moved = await earned(async () => {
      const stolen = { ...payload, payload: { transaction: forged.toString('base64') } }
      const refused = await send(encodePaymentSignatureHeader(stolen))
      expect([refused.status, await errorOf(refused)]).to.deep.equal([
        402,
        'The payment was refused: invalid_exact_svm_payload_signature_invalid. Nothing was charged. Fix this cause, then sign a new payment',
      ])
      await solana.advance(70_000)
      const late = await send(encodePaymentSignatureHeader(payload))
      expect([late.status, await errorOf(late)]).to.deep.equal([
        402,
        // A Solana payment contains no time. So it is possible that an earlier request was charged with the
        // same payment.
        forgottenAs('invalid_exact_svm_transaction_simulation_failed'),
      ])
    })
    expect(moved).to.deep.equal([0n, 0n])
    const header = encodePaymentSignatureHeader(await signOnSolana())
    expect(decodePaymentSignatureHeader(header).accepted.network).to.equal(svmNetwork)
    expect((await send(header)).status, 'and the next one is taken').to.equal(200)
  })
})
