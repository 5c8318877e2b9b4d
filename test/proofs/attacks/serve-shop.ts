/**
 * The attacked service in its own process: the API over fixed rows, with a facilitator. Its stream sends nothing before SIGUSR2.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createChainA } from '../../../api/chain-a/chain.ts'
import { startApi } from '../../../api/edge/listen.ts'
import { createEvmNetwork, paymentNetwork } from '../../../api/payments/evm/network.ts'
import { createHttpFacilitator } from '../../../api/payments/facilitator/http-facilitator.ts'
import { openPaymentLedger, type PaymentRecord } from '../../../api/payments/ledger/ledger.ts'
import { createPaymentGate } from '../../../api/payments/payment-gate.ts'
import { createSvmNetwork } from '../../../api/payments/svm/network.ts'
import { routesOf } from '../../../api/products.ts'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createSchemaCodec } from '../../../infra/codec/schema-codec.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { createLogger } from '../../../infra/telemetry.ts'
import { topics } from '../../../schemas/topics.ts'
import { createFixedQueries, fixedCut } from '../../support/fixed-queries.ts'
import { sellerAddress } from '../../support/payments/paid-service.ts'
import { svmSeller } from '../../support/payments/svm-payments.ts'
import { streamOf } from '../../support/stream.ts'
import { passSecret, pushBursts } from './stream/pushed-bursts.ts'

const [url = '', trustedProxyCount = '0'] = process.argv.slice(2)
const secrets = { ruleIdSecret: 'a secret of the proof', callerIdSecret: 'another secret of the proof' }
const { queries, cuts } = createFixedQueries()
const chains = [
  createChainA({ queries, presentation: { chainName: 'chainA', launchpadKey: 'launchCurve', ...secrets } }),
]
const stream = streamOf(chains, { secret: passSecret })
const codec = await createSchemaCodec<PaymentRecord>(topics.payments, createMemoryRegistry())
const logger = createLogger('attacked', 'silent')
const publicBaseUrl = 'https://data.example'
const gate = await createPaymentGate({
  facilitators: [createHttpFacilitator({ url })],
  networks: [
    createEvmNetwork({ network: paymentNetwork, payTo: sellerAddress, rpcUrl: url }),
    await createSvmNetwork({ payTo: svmSeller, rpcUrl: url, nowMs: Date.now }),
  ],
  ledger: await openPaymentLedger({ log: createMemoryLog({ nowMs: Date.now }), codec, nowMs: Date.now }),
  ...{ publicBaseUrl, nowMs: Date.now, logger },
  sleep: async (durationMs) => void (await sleep(durationMs)),
})
const { port } = await startApi(
  {
    ...{
      sources: chains,
      routes: routesOf(chains, [stream.passRoute]),
      stream: stream.route,
      cuts,
      gate,
      publicBaseUrl,
      logger,
    },
    ...{ viewRefreshMs: 1000, trustedProxyCount: Number(trustedProxyCount), nowMs: () => fixedCut.atMs + 500 },
  },
  { port: 0, host: '127.0.0.1' },
)
process.once('SIGUSR2', () => void pushBursts(stream))
console.log(`LISTENING ${port}`)
