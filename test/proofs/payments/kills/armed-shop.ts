/**
 * The payment part of the service in one process: edge, gate, ledger on the embedded log, facilitator over
 * HTTP, and node. It arms a crash point when it gets a signal. Its answers depend only on the cut time, so it
 * needs no data and starts within a second.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import Koa from 'koa'
import { createEvmNetwork, paymentNetwork } from '../../../../api/payments/evm/network.ts'
import { createHttpFacilitator } from '../../../../api/payments/facilitator/http-facilitator.ts'
import { openPaymentLedger, type PaymentRecord } from '../../../../api/payments/ledger/ledger.ts'
import { createPaymentGate } from '../../../../api/payments/payment-gate.ts'
import type { PaymentNetwork } from '../../../../api/payments/payment-network.ts'
import { createSvmNetwork } from '../../../../api/payments/svm/network.ts'
import { runPaymentUpkeep } from '../../../../api/payments/upkeep.ts'
import { answerPaid } from '../../../../api/x402-koa/answer-paid.ts'
import { createSchemaCodec } from '../../../../infra/codec/schema-codec.ts'
import { armCrashPoint, type CrashPointName } from '../../../../infra/crash-points.ts'
import { openLog } from '../../../../infra/log/open-log.ts'
import { topics } from '../../../../schemas/topics.ts'
import { bursts } from '../../../support/payments/paid-service.ts'

const [, , pointFile = ''] = process.argv
process.on('SIGUSR2', () => {
  armCrashPoint(readFileSync(pointFile, 'utf8') as CrashPointName, 1)
  process.stdout.write('armed\n')
})

const { DATA_DIR: dataDir = '', PORT: port, X402_FACILITATOR_URL: facilitatorUrl = '', ...environment } = process.env
const nowMs = Date.now
const silent = () => {}

async function networks(): Promise<readonly PaymentNetwork[]> {
  const { X402_PAY_TO_EVM = '', X402_EVM_RPC_URL = '', X402_PAY_TO_SVM, X402_SVM_RPC_URL = '' } = environment
  const evm = createEvmNetwork({ network: paymentNetwork, payTo: X402_PAY_TO_EVM, rpcUrl: X402_EVM_RPC_URL })
  if (X402_PAY_TO_SVM === undefined) return [evm]
  return [evm, await createSvmNetwork({ payTo: X402_PAY_TO_SVM, rpcUrl: X402_SVM_RPC_URL, nowMs })]
}

const open = await openLog({ dataDir, nowMs })
const codec = await createSchemaCodec<PaymentRecord>(topics.payments, open.registry)
const gate = await createPaymentGate({
  facilitators: [createHttpFacilitator({ url: facilitatorUrl })],
  networks: await networks(),
  ledger: await openPaymentLedger({ log: open.log, codec, nowMs }),
  publicBaseUrl: `http://127.0.0.1:${port}`,
  nowMs,
  sleep: async (durationMs) => void (await sleep(durationMs)),
  logger: { info: silent, warn: silent, error: silent },
})
const stop = new AbortController()
void runPaymentUpkeep(gate, (durationMs, signal) => sleep(durationMs, undefined, { signal }).catch(silent), stop.signal)

const bytesAt = (cutAtMs: number) => Buffer.from(JSON.stringify({ cutAtMs, rows: 'x'.repeat(100_000) }))
/** What a pass is to the gate: it has another price, and gets its date when it is first sent. */
const pass = {
  ...{ ...bursts, routeId: 'GET /v1/stream/pass', requestId: 'GET /v1/stream/pass?[]', priceUsdMicros: 500_000 },
  ...{ resourcePath: '/v1/stream/pass', dateWhenSent: nowMs },
}
const app = new Koa().use((ctx) =>
  answerPaid(ctx, gate, {
    ...(ctx.path === pass.resourcePath ? pass : bursts),
    docsUrlOf: (code) => `http://127.0.0.1/docs/errors/${code}`,
    buildBody: async () => {
      const cutAtMs = nowMs()
      return { bytes: bytesAt(cutAtMs), cutAtMs }
    },
    rebuildBody: async (cutAtMs) => bytesAt(cutAtMs),
  }),
)
const server = createServer({ maxHeaderSize: 32_768 }, app.callback())
server.listen(Number(port), '127.0.0.1', () => process.stdout.write('Launch Data Service on this port\n'))
process.once('SIGTERM', async () => {
  stop.abort()
  server.close()
  await gate.close()
  await open.close()
  process.exit(0)
})
