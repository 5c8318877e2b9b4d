/** A payment gate over a local Solana chain. Its facilitator may lie about settlements. */
import { randomBytes } from 'node:crypto'
import type { FacilitatorClient } from '@x402/core/server'
import type { PaymentPayload } from '@x402/core/types'
import { x402Client } from '@x402/fetch'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import { openPaymentLedger, type PaymentRecord } from '../../../../api/payments/ledger/ledger.ts'
import { createPaymentGate } from '../../../../api/payments/payment-gate.ts'
import { svmNetwork } from '../../../../api/payments/svm/names.ts'
import { createSvmNetwork } from '../../../../api/payments/svm/network.ts'
import { createMemoryRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import { createSchemaCodec } from '../../../../infra/codec/schema-codec.ts'
import { solanaSigner } from '../../../../infra/development/payments/solana-dollar.ts'
import type { LocalSolana } from '../../../../infra/development/payments/start-local-solana.ts'
import { createMemoryLog } from '../../../../infra/log/memory/memory-log.ts'
import { topics } from '../../../../schemas/topics.ts'
import { bursts, requestFor, toHeader } from '../../../support/payments/paid-service.ts'
import { makeTransaction } from '../../../support/payments/svm-payments.ts'
import type { SettleLie } from './solana-lie-kinds.ts'

export type SolanaShop = Awaited<ReturnType<typeof openSolanaShop>>

/** All shops of the chain share `clock`, because the time of the chain must not go back. */
type ShopWorld = Readonly<{ solana: LocalSolana; facilitator: FacilitatorClient; clock: { aheadMs: number } }>

export async function openSolanaShop(
  { solana, facilitator, clock }: ShopWorld,
  nodeUrl: string,
  lie: SettleLie | null,
) {
  const nowMs = () => Date.now() + clock.aheadMs
  const buyer = await solanaSigner('buyer')
  const client = new x402Client().register(svmNetwork, new ExactSvmScheme(buyer, { rpcUrl: solana.rpcUrl }))
  let last: string | null = null
  let movedOtherwise = 0n
  const transfer = async ({ payTo = buyer.address as string, amount = 10_000n }) => {
    if (payTo === solana.payTo) movedOtherwise += amount
    const blockhash = await latestBlockhash(solana.rpcUrl)
    const memo = randomBytes(8).toString('hex')
    const wire = await makeTransaction({ payer: buyer, feePayer: buyer.address, payTo, amount, memo, blockhash })
    return (await ask(solana.rpcUrl, 'sendTransaction', [wire])) as string
  }
  const codec = await createSchemaCodec<PaymentRecord>(topics.payments, createMemoryRegistry())
  const quiet = () => {}
  const gate = await createPaymentGate({
    facilitators: [
      {
        ...facilitator,
        settle: async (...payment) => {
          const settle = () => facilitator.settle(...payment)
          const told = await (lie === null
            ? settle()
            : lie({ transfer, settle, seller: solana.payTo, last: () => last }))
          last = told.transaction
          return told
        },
      },
    ],
    networks: [await createSvmNetwork({ payTo: solana.payTo, rpcUrl: nodeUrl, nowMs })],
    ledger: await openPaymentLedger({ log: createMemoryLog({ nowMs }), codec, nowMs }),
    ...{ publicBaseUrl: 'https://data.example', nowMs, reconcileMs: 300 },
    sleep: (durationMs) => new Promise((resolve) => setTimeout(resolve, durationMs)),
    logger: { info: quiet, warn: quiet, error: quiet },
  })
  const sign = async (): Promise<PaymentPayload> => {
    const answer = await gate.requirePayment(bursts)
    if (answer.kind !== 'paymentRequired') throw new TypeError(answer.kind)
    return client.createPaymentPayload(answer.body)
  }
  const pay = async (payment: PaymentPayload) => (await gate.run(requestFor(toHeader(payment)))).kind
  return {
    sign,
    pay,
    /** Gets a quote and pays it. */
    buy: async (): Promise<string> => {
      const { kind } = await gate.requirePayment(bursts)
      return kind === 'paymentRequired' ? pay(await sign()) : kind
    },
    pass: async (durationMs: number) => {
      clock.aheadMs += durationMs
      await solana.advance(durationMs)
      await gate.reconcile()
      await gate.refresh()
    },
    settlements: () => gate.stats().settlements,
    movedOtherwise: () => movedOtherwise,
    close: () => gate.close(),
  }
}

async function latestBlockhash(rpcUrl: string) {
  const { value } = (await ask(rpcUrl, 'getLatestBlockhash', [{ commitment: 'confirmed' }])) as Latest
  return value.blockhash
}

type Latest = Readonly<{
  value: Readonly<{ blockhash: NonNullable<Parameters<typeof makeTransaction>[0]['blockhash']> }>
}>

async function ask(rpcUrl: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const answer = (await (await fetch(rpcUrl, { method: 'POST', headers, body })).json()) as { result?: unknown }
  if (answer.result === undefined) throw new TypeError(`the chain refused ${method}: ${JSON.stringify(answer)}`)
  return answer.result
}
