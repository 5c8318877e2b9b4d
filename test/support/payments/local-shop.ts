/**
 * Runs the API on its own port, with answers from rows that the test sets. Buyers pay with money of a local
 * chain.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { createChainA } from '../../../api/chain-a/chain.ts'
import { createChainB } from '../../../api/chain-b/chain.ts'
import { startApi } from '../../../api/edge/listen.ts'
import { createEvmNetwork, paymentNetwork } from '../../../api/payments/evm/network.ts'
import { createHttpFacilitator } from '../../../api/payments/facilitator/http-facilitator.ts'
import { openPaymentLedger, type PaymentRecord } from '../../../api/payments/ledger/ledger.ts'
import { createPaymentGate } from '../../../api/payments/payment-gate.ts'
import type { PaymentNetwork } from '../../../api/payments/payment-network.ts'
import { createSvmNetwork } from '../../../api/payments/svm/network.ts'
import { routesOf } from '../../../api/products.ts'
import type { Route } from '../../../api/route.ts'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createSchemaCodec } from '../../../infra/codec/schema-codec.ts'
import type { SigningKeys } from '../../../infra/data-dir/signing-keys.ts'
import { type LocalPayments, startLocalPayments } from '../../../infra/development/payments/start-local-payments.ts'
import type { Log } from '../../../infra/log/log.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { createLogger } from '../../../infra/telemetry.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import { chatsStage } from '../../../schemas/chats/stage.ts'
import { topics } from '../../../schemas/topics.ts'
import { calledA, calledB, chatsCut, chatsOver, createFixedCallsQueries } from '../calls/fixed-queries.ts'
import { chainBCut, createFixedChainBQueries } from '../chain-b/fixed-queries.ts'
import { closeAll } from '../close-all.ts'
import { createFixedQueries, fixedCut } from '../fixed-queries.ts'
import { streamOf } from '../stream.ts'

export type LocalShop = Readonly<{
  url: string
  routes: readonly Route[]
  money: LocalPayments
  /** An x402 client whose buyer has money. */
  signer: x402Client
  /** Returns the earnings during `work`, in millionths of a dollar. */
  earned(work: () => Promise<void>): Promise<bigint>
  close(): Promise<void>
}>

/** With this key, the front page shows the fixed rows. The rows are newer than what others see. */
export const operatorKey = 'the key of the operator'
const ruleIdSecret = 'a secret of the test'
const callerIdSecret = 'another secret of the test'

/**
 * An earlier shop, whose log and local chain are used again. If the new shop is closed, the local chain keeps
 * running.
 */
type Earlier = Readonly<{ money: LocalPayments; log: Log }>

/** All chains have one fixed cut. */
export async function openLocalShop(
  earlier?: Earlier,
  more: Readonly<{ signingKeys?: SigningKeys }> = {},
): Promise<LocalShop> {
  const money = earlier?.money ?? (await startLocalPayments())
  const log = earlier?.log ?? createMemoryLog({ nowMs: Date.now })
  const { state, queries, cuts } = createFixedQueries()
  state.otherCuts = { [chainBStage.name]: chainBCut, [chatsStage.name]: chatsCut }
  const chains = [
    {
      ...createChainA({
        queries,
        presentation: { chainName: 'chainA', launchpadKey: 'launchCurve', ruleIdSecret, callerIdSecret },
      }),
      called: calledA,
    },
    {
      ...createChainB({
        queries: createFixedChainBQueries().queries,
        presentation: { chainName: 'chainB', ruleIdSecret, callerIdSecret },
      }),
      called: calledB,
    },
    chatsOver(createFixedCallsQueries()),
  ]
  const stream = streamOf(chains)
  const routes = routesOf(chains, [stream.passRoute])
  const logger = createLogger('test', 'silent')
  const codec = await createSchemaCodec<PaymentRecord>(topics.payments, createMemoryRegistry())
  const gate = await createPaymentGate({
    facilitators: [createHttpFacilitator({ url: money.facilitatorUrl })],
    networks: await networksOf(money),
    ledger: await openPaymentLedger({ log, codec, nowMs: Date.now }),
    ...{ publicBaseUrl: 'https://data.example', nowMs: Date.now, logger },
    sleep: async (durationMs) => void (await sleep(durationMs)),
  })
  const served = { routes, sources: chains, cuts, gate, publicBaseUrl: 'https://data.example', operatorKey, logger }
  const api = await startApi(
    { ...served, ...more, viewRefreshMs: 0, trustedProxyCount: 1, nowMs: () => fixedCut.atMs + 500 },
    { port: 0, host: '127.0.0.1' },
  )
  const buyer = privateKeyToAccount(money.buyerPrivateKey)
  return {
    ...{ url: `http://127.0.0.1:${api.port}`, routes, money },
    signer: new x402Client().register(paymentNetwork, new ExactEvmScheme(buyer)),
    async earned(work) {
      const before = await money.usdcBalanceOf(money.payTo)
      await work()
      return (await money.usdcBalanceOf(money.payTo)) - before
    },
    close: () => closeAll(api.stop, earlier ? undefined : money.stop),
  }
}

async function networksOf(money: LocalPayments): Promise<readonly PaymentNetwork[]> {
  const evm = createEvmNetwork({ network: paymentNetwork, ...money, isLocal: true })
  return money.solana === null
    ? [evm]
    : [evm, await createSvmNetwork({ ...money.solana, isLocal: true, nowMs: Date.now })]
}
