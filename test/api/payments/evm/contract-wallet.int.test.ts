/**
 * Tests payments by contract wallets, with the official client, x402's own facilitator over HTTP, and a local
 * node.
 */

import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { expect } from 'chai'
import { privateKeyToAccount } from 'viem/accounts'
import { createEvmNetwork } from '../../../../api/payments/evm/network.ts'
import { createHttpFacilitator } from '../../../../api/payments/facilitator/http-facilitator.ts'
import { openPaymentLedger, type PaymentRecord } from '../../../../api/payments/ledger/ledger.ts'
import type { PaymentGate } from '../../../../api/payments/payment.ts'
import { createPaymentGate } from '../../../../api/payments/payment-gate.ts'
import type { PaymentNetwork } from '../../../../api/payments/payment-network.ts'
import { createMemoryRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import { createSchemaCodec } from '../../../../infra/codec/schema-codec.ts'
import { type LocalPayments, startLocalPayments } from '../../../../infra/development/payments/start-local-payments.ts'
import { createMemoryLog } from '../../../../infra/log/memory/memory-log.ts'
import { topics } from '../../../../schemas/topics.ts'
import {
  type ContractWallet,
  openWalletFactories,
  otherFactory,
  walletFactory,
} from '../../../support/payments/contract-wallet.ts'
import { bursts, requestFor, toHeader } from '../../../support/payments/paid-service.ts'

describe('a wallet that is a contract', () => {
  let money: LocalPayments
  let network: PaymentNetwork
  let gate: PaymentGate
  let createWallet: Awaited<ReturnType<typeof openWalletFactories>>
  let isAnswerLost: boolean
  const quiet = () => {}
  const nowMs = () => Date.now()

  before(async () => {
    money = await startLocalPayments({ isEvmAlone: true, walletFactories: [walletFactory] })
    createWallet = await openWalletFactories(money.rpcUrl)
    network = createEvmNetwork({ network: 'eip155:8453', payTo: money.payTo, rpcUrl: money.rpcUrl, isLocal: true })
    const codec = await createSchemaCodec<PaymentRecord>(topics.payments, createMemoryRegistry())
    const real = createHttpFacilitator({ url: money.facilitatorUrl })
    gate = await createPaymentGate({
      facilitators: [
        {
          ...real,
          settle: async (...payment) => {
            const settled = await real.settle(...payment)
            if (isAnswerLost) throw new TypeError('connection lost')
            return settled
          },
        },
      ],
      networks: [network],
      ledger: await openPaymentLedger({ log: createMemoryLog({ nowMs }), codec, nowMs }),
      publicBaseUrl: 'http://127.0.0.1',
      nowMs,
      sleep: (durationMs) => new Promise((resolve) => setTimeout(resolve, durationMs)),
      logger: { info: quiet, warn: quiet, error: quiet },
    })
  })
  beforeEach(() => {
    isAnswerLost = false
  })
  after(async () => {
    await gate?.close()
    await money?.stop()
  })

  const deployed = async (): Promise<ContractWallet> => {
    const wallet = await createWallet()
    await wallet.deploy()
    return wallet
  }
  const sign = async (wallet: ContractWallet, options?: Parameters<ContractWallet['signer']>[0]) => {
    const offer = await gate.requirePayment(bursts)
    if (offer.kind !== 'paymentRequired') throw new TypeError(offer.kind)
    const client = new x402Client().register('eip155:8453', new ExactEvmScheme(wallet.signer(options)))
    return client.createPaymentPayload({ ...offer.body, accepts: [...offer.body.accepts] })
  }
  const payWith = async (payload: Awaited<ReturnType<typeof sign>>) => {
    const outcome = await gate.run(requestFor(toHeader(payload)))
    if (outcome.kind === 'paid') return outcome.bytes.toString()
    return outcome.kind === 'paymentRequired' ? outcome.body.error : outcome.kind
  }
  const earned = async (work: () => Promise<void>): Promise<bigint> => {
    const before = await money.usdcBalanceOf(money.payTo)
    await work()
    return (await money.usdcBalanceOf(money.payTo)) - before
  }
  const stranger = privateKeyToAccount(`0x${'77'.repeat(32)}`)

  it('buys an answer, once for copies at once and one later', async () => {
    const wallet = await deployed()
    const moved = await earned(async () => {
      const payload = await sign(wallet)
      const copies = await Promise.all([payWith(payload), payWith(payload), payWith(payload)])
      expect([...copies, await payWith(payload)]).to.deep.equal(Array(4).fill('{"run":1}'))
    })
    expect([moved, await money.usdcBalanceOf(wallet.address)]).to.deep.equal([10_000n, 990_000n])
  })

  it('is refused and not charged under the signature of somebody who does not own it', async () => {
    const wallet = await deployed()
    const moved = await earned(async () => {
      expect(await payWith(await sign(wallet, { by: stranger }))).to.equal(
        'The payment was refused: invalid_exact_evm_signature. Nothing was charged. Fix this cause, then sign a new payment',
      )
    })
    expect(moved).to.equal(0n)
  })

  it('gets its answer when that of the facilitator was lost: the transfer is found on the chain', async () => {
    const payload = await sign(await deployed())
    isAnswerLost = true
    const moved = await earned(async () => {
      expect(await payWith(payload)).to.equal('{"run":1}')
    })
    expect(moved).to.equal(10_000n)
  })

  it('buys before it is deployed, when the facilitator knows what deploys it, and as before afterwards', async () => {
    const wallet = await createWallet()
    const moved = await earned(async () => {
      expect(await wallet.isDeployed()).to.equal(false)
      expect(await payWith(await sign(wallet, { isWrapped: true }))).to.equal('{"run":1}')
      expect(await wallet.isDeployed()).to.equal(true)
      expect(await payWith(await sign(wallet, { isWrapped: true }))).to.equal('{"run":1}')
      expect(await payWith(await sign(wallet))).to.equal('{"run":1}')
    })
    expect(moved).to.equal(30_000n)
  })

  it('is not deployed by what the facilitator does not know', async () => {
    const wallet = await createWallet(otherFactory)
    const moved = await earned(async () => {
      expect(await payWith(await sign(wallet, { isWrapped: true }))).to.equal(
        'The payment was refused: eip6492_factory_not_allowed. Nothing was charged. Fix this cause, then sign a new payment',
      )
    })
    expect([moved, await wallet.isDeployed()]).to.deep.equal([0n, false])
  })

  it('is asked on the chain who signed for it', async () => {
    const [here, later] = [await deployed(), await createWallet()]
    const signerOf = async (...signed: Parameters<typeof sign>) => network.signerOf?.(await sign(...signed))
    expect(await signerOf(here)).to.equal('payer')
    expect(await signerOf(here, { isWrapped: true })).to.equal('payer')
    expect(await signerOf(here, { by: stranger })).to.equal('other')
    expect(await signerOf(later, { isWrapped: true })).to.equal('unknown')
    expect(await signerOf(later)).to.equal('other')
  })
})
