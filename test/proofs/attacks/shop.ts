/**
 * Sells one answer through the payment gate, and prints its port. The argument gives the facilitator and the node.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import Koa from 'koa'
import { createEvmNetwork } from '../../../api/payments/evm/network.ts'
import { createHttpFacilitator } from '../../../api/payments/facilitator/http-facilitator.ts'
import { openPaymentLedger, type PaymentRecord } from '../../../api/payments/ledger/ledger.ts'
import { createPaymentGate } from '../../../api/payments/payment-gate.ts'
import { runPaymentUpkeep } from '../../../api/payments/upkeep.ts'
import { answerPaid } from '../../../api/x402-koa/answer-paid.ts'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createSchemaCodec } from '../../../infra/codec/schema-codec.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { createLogger } from '../../../infra/telemetry.ts'
import { topics } from '../../../schemas/topics.ts'
import { bursts, sellerAddress } from '../../support/payments/paid-service.ts'

const trusted = JSON.parse(process.argv[2] ?? '') as Readonly<{ facilitatorUrl: string; rpcUrl: string }>
const codec = await createSchemaCodec<PaymentRecord>(topics.payments, createMemoryRegistry())
const log = createMemoryLog({ nowMs: Date.now })
const gate = await createPaymentGate({
  facilitators: [createHttpFacilitator({ url: trusted.facilitatorUrl })],
  networks: [createEvmNetwork({ network: 'eip155:8453', payTo: sellerAddress, rpcUrl: trusted.rpcUrl })],
  ledger: await openPaymentLedger({ log, codec, nowMs: Date.now }),
  ...{ publicBaseUrl: 'https://data.example', nowMs: Date.now, logger: createLogger('shop', 'info') },
  sleep: async (durationMs) => void (await sleep(durationMs)),
})
void runPaymentUpkeep(gate, async (durationMs) => void (await sleep(durationMs)), new AbortController().signal)

const bytes = Buffer.from('{"rows":[]}')
const app = new Koa({ proxy: true }).use(async (ctx) => {
  if (ctx.path === '/v1/stats') {
    ctx.body = gate.stats()
    return
  }
  await answerPaid(ctx, gate, {
    ...{ ...bursts, docsUrlOf: () => 'https://data.example/docs' },
    buildBody: async () => ({ bytes, cutAtMs: Date.now() }),
  })
})
const server = createServer({ maxHeaderSize: 32_768 }, app.callback()).listen(0, '127.0.0.1')
await once(server, 'listening')
process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port} is open\n`)
