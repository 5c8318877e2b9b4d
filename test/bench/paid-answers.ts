import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { FacilitatorClient } from '@x402/core/server'
import Koa from 'koa'
import { createEvmNetwork } from '../../api/payments/evm-network.ts'
import { openPaymentLedger, type PaymentLedger, type PaymentRecord } from '../../api/payments/ledger.ts'
import type { PaymentGate } from '../../api/payments/payment.ts'
import { createPaymentGate } from '../../api/payments/payment-gate.ts'
import { readPayment } from '../../api/payments/payment-reader.ts'
import { answerPaid } from '../../api/x402-koa/answer-paid.ts'
import { openLog } from '../../infra/open-log.ts'
import { createSchemaCodec } from '../../infra/schema-codec.ts'
import { bursts, sellerAddress, signFor, toHeader } from '../support/paid-service.ts'
import type { Load, LoadResult } from './load-client.ts'
import { count, median } from './rounds.ts'

const network = 'eip155:8453'
const rounds = 3
const paymentsPerRound = 500
const connections = 32
/** About a page of bursts. */
const answer = Buffer.from(
  JSON.stringify({ rows: Array.from({ length: 100 }, (_, row) => ({ row, pad: 'x'.repeat(180) })) }),
)

/** `cpuUs`: of both ends of a call, which share the process. */
type Measured = Readonly<{ rate: number; cpuUs: number }>

type Shop = Readonly<{ gate: PaymentGate; ledger: PaymentLedger; close: () => Promise<void> }>

/**
 * Prints how many paid calls of a ready answer one process serves, its ledger on the embedded log, its facilitator in the
 * process and of one mind, beside a Koa route that sends the same bytes to anybody; and where the difference goes.
 */
export async function measurePaidAnswers(dataDir: string): Promise<void> {
  const shop = await openShop(dataDir)
  const server = await serve(shop.gate)
  const client = new Worker(new URL('./load-client.js', import.meta.url))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const call = async (path: string, payments: Load['payments']): Promise<Measured> => {
    const before = process.cpuUsage()
    client.postMessage({ url: `${baseUrl}${path}`, payments, connections } satisfies Load)
    const [{ wallMs, failed, bytes }] = (await once(client, 'message')) as [LoadResult]
    assert(failed === 0 && bytes === answer.length * payments.length, `${failed} calls of ${path} failed`)
    const { user, system } = process.cpuUsage(before)
    return { rate: (payments.length / wallMs) * 1000, cpuUs: (user + system) / payments.length }
  }
  try {
    const bare: Measured[] = []
    const paid: Measured[] = []
    for (let round = 0; round <= rounds; round++) {
      const payments = await signMany(shop.gate, paymentsPerRound)
      const nobody = Array.from({ length: paymentsPerRound * 4 }, () => null)
      const results = [await call('/bare', nobody), await call('/paid', payments)] as const
      // The first round warms up.
      if (round === 0) continue
      bare.push(results[0])
      paid.push(results[1])
    }
    console.log(
      `paid answers of ${count(answer.length)} bytes, ${connections} connections, medians of ${rounds} rounds:`,
    )
    const [bareRate, paidRate] = [printMeasured('bare Koa route', bare), printMeasured('through the gate', paid)]
    console.log(`  the gate serves ${(paidRate / bareRate).toFixed(2)} x bare (aim 0.5)`)
    await printShares(shop)
  } finally {
    await client.terminate()
    server.closeAllConnections()
    server.close()
    await shop.close()
  }
}

function printMeasured(name: string, measured: readonly Measured[]): number {
  const rate = median(measured.map((each) => each.rate))
  const cpuUs = median(measured.map((each) => each.cpuUs))
  console.log(`  ${name.padEnd(20)}${count(rate).padStart(8)}/s   ${count(cpuUs)} us of CPU a call, both ends`)
  return rate
}

/** What the two costly steps take alone, one after the other. */
async function printShares({ gate, ledger }: Shop): Promise<void> {
  const payments = await signMany(gate, 200)
  const networks = [createNetwork()]
  const read = await cpuUsEach(payments, (header) => readPayment({ header }, networks))
  const record = await cpuUsEach(payments, (_, index) => ledger.record(paymentNumber(index)))
  console.log(
    `  of which ${count(read)} us to decode the payment and check its signature, ${count(record)} us to make a record durable alone (two before the answer, one after; payments at once share them)`,
  )
}

async function cpuUsEach<Item>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<unknown>,
): Promise<number> {
  const before = process.cpuUsage()
  for (const [index, item] of items.entries()) await work(item, index)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / items.length
}

const paymentNumber = (index: number): Parameters<PaymentLedger['record']>[0] => ({
  paymentId: `bench|${index}`,
  payer: sellerAddress,
  validBeforeMs: Date.now(),
  state: 'released',
  atMs: Date.now(),
  network,
  route: bursts.routeId,
  requestId: bursts.requestId,
  cutAtMs: 1,
  usdMicros: bursts.priceUsdMicros,
  transaction: null,
  reason: null,
})

const createNetwork = () => createEvmNetwork({ network, payTo: sellerAddress, rpcUrl: 'http://127.0.0.1:1' })

async function openShop(dataDir: string): Promise<Shop> {
  const open = await openLog({ dataDir, nowMs: Date.now })
  const codec = await createSchemaCodec<PaymentRecord>('payments', open.registry)
  const ledger = await openPaymentLedger({ log: open.log, codec, nowMs: Date.now })
  const quiet = () => {}
  const gate = await createPaymentGate({
    facilitators: [agreeable()],
    networks: [createNetwork()],
    ledger,
    publicBaseUrl: 'http://127.0.0.1',
    nowMs: Date.now,
    sleep: (durationMs) => sleep(durationMs),
    logger: { info: quiet, warn: quiet, error: quiet },
  })
  return {
    gate,
    ledger,
    close: async () => {
      await gate.close()
      await open.close()
    },
  }
}

/** A facilitator that says yes at once. */
const agreeable = (): FacilitatorClient => ({
  verify: async () => ({ isValid: true, payer: sellerAddress }),
  settle: async () => ({
    success: true,
    transaction: `0x${randomBytes(32).toString('hex')}`,
    network,
    payer: sellerAddress,
  }),
  getSupported: async () => ({ kinds: [{ x402Version: 2, scheme: 'exact', network }], extensions: [], signers: {} }),
})

async function serve(gate: PaymentGate): Promise<Server> {
  const app = new Koa().use(async (ctx) => {
    if (ctx.path === '/bare') {
      ctx.type = 'application/json'
      ctx.body = answer
    } else
      await answerPaid(ctx, gate, {
        ...bursts,
        docsUrl: 'http://127.0.0.1/',
        buildBody: async () => ({ bytes: answer, cutAtMs: 1 }),
      })
  })
  const server = createServer(app.callback())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

async function signMany(gate: PaymentGate, paymentCount: number): Promise<string[]> {
  const headers: string[] = []
  while (headers.length < paymentCount) headers.push(toHeader(await signFor(gate)).header)
  return headers
}
