import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import type { PaymentLedger } from '../../../api/payments/ledger/ledger.ts'
import type { PaymentGate } from '../../../api/payments/payment.ts'
import { readPayment } from '../../../api/payments/payment-reader.ts'
import { toPaid } from '../../../api/payments/receipt.ts'
import { answerPaid } from '../../../api/x402-koa/answer-paid.ts'
import { bursts, sellerAddress, signFor } from '../../support/payments/paid-service.ts'
import { count, median } from '../rounds.ts'
import { answer, createNetwork, network, openShop, type Shop } from './gate-shop.ts'
import type { Load, LoadResult } from './load-client.ts'
import { paymentsLike } from './many-payments.ts'

const rounds = 5
const roundsToWarmUp = 2
const callsPerRound = 4_000
const connections = 64
/**
 * `cpuUs` is the CPU time per call in microseconds, for all threads of the serving process. The client is
 * another process.
 */
type Measured = Readonly<{ rate: number; cpuUs: number }>

/**
 * Measures the cost of the payment gate alone, and prints the parts of this cost. Paid calls get a finished
 * answer from this process. The ledger is on the embedded log, and the facilitator accepts every payment. For
 * comparison, a Koa route sends the same bytes.
 * The wall time includes the wait for the disk, which is long on a busy machine. The CPU time depends less on
 * the load.
 */
export async function measureGate(dataDir: string): Promise<void> {
  const shop = await openShop(dataDir)
  const server = await serve(shop.gate)
  const client = fork(new URL('./load-client.js', import.meta.url), { serialization: 'advanced', execArgv: [] })
  const { port } = server.address() as AddressInfo
  const call = async (path: string, payments: Load['payments']): Promise<Measured> => {
    client.send({ port, path: [path], payments, connections } satisfies Load)
    await once(client, 'message')
    const before = process.cpuUsage()
    client.send('go')
    const [{ wallMs, failed, bytes }] = (await once(client, 'message')) as [LoadResult]
    const { user, system } = process.cpuUsage(before)
    assert(failed === 0 && bytes === answer.length * payments.length, `${failed} calls of ${path} failed`)
    return { rate: (payments.length / wallMs) * 1000, cpuUs: (user + system) / payments.length }
  }
  try {
    const bare: Measured[] = []
    const paid: Measured[] = []
    for (let round = 0; round < roundsToWarmUp + rounds; round++) {
      const payments = await preparePayments(shop.gate, callsPerRound)
      const nobody = payments.map(() => null)
      const results = [await call('/bare', nobody), await call('/paid', payments)] as const
      if (round < roundsToWarmUp) continue
      bare.push(results[0])
      paid.push(results[1])
    }
    console.log(
      `the gate alone, a ready answer of ${count(answer.length)} bytes, ${connections} connections, medians of ${rounds} rounds:`,
    )
    const atBest = printMeasured('bare Koa route', bare)
    const sold = printMeasured('through the gate', paid)
    const [byClock, byCpu] = [sold.rate / atBest.rate, atBest.cpuUs / sold.cpuUs]
    console.log(
      `  the gate serves ${byClock.toFixed(2)} x bare by the clock, ${byCpu.toFixed(2)} by the CPU it takes (aim 0.5)`,
    )
    await printShares(shop)
  } finally {
    client.kill()
    server.closeAllConnections()
    server.close()
    await shop.close()
  }
}

function printMeasured(name: string, measured: readonly Measured[]): Measured {
  const rate = median(measured.map((each) => each.rate))
  const cpuUs = median(measured.map((each) => each.cpuUs))
  console.log(`  ${name.padEnd(20)}${count(rate).padStart(8)}/s   ${count(cpuUs)} us of CPU a call`)
  return { rate, cpuUs }
}

/** Prints the CPU time of each step of a payment. `groups` have as many payments as arrive at the same time. */
async function printShares({ gate, ledger }: Shop): Promise<void> {
  const headers = await preparePayments(gate, callsPerRound)
  const networks = [createNetwork()]
  const body = { bytes: answer, cutAtMs: 1 }
  const buy = (header: string) =>
    gate.run({
      ...bursts,
      payment: { header },
      clientAddress: 'bench',
      isClientGone: () => false,
      buildBody: async () => body,
    })
  const records = inGroups(headers.map((_, index) => paymentNumber(index)))
  const ofGroup = async <Item>(groups: readonly Item[][], work: (item: Item) => Promise<unknown>) =>
    (await cpuUsEach(groups, (group) => Promise.all(group.map(work)))) / connections
  const print = (cpuUs: number, step: string) => console.log(`    ${cpuUs.toFixed(1).padStart(7)} us to ${step}`)

  print(await warmUsEach(headers, (header) => readPayment({ header }, networks)), 'read the header and hash it')
  print(await warmUsEach(headers, () => toPaid(paymentNumber(0), body)), 'write the receipt')
  print(await cpuUsEach(records.flat().slice(0, 200), ledger.record), 'make a record durable alone')
  print(await ofGroup(records, ledger.record), `make a record durable, ${connections} at once`)
  print(await ofGroup(inGroups(headers), buy), `sell an answer, ${connections} at once, HTTP left out`)
}

const inGroups = <Item>(items: readonly Item[]): Item[][] =>
  Array.from({ length: Math.floor(items.length / connections) }, (_, group) =>
    items.slice(group * connections, (group + 1) * connections),
  )

async function cpuUsEach<Item>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<unknown>,
): Promise<number> {
  const before = process.cpuUsage()
  for (const [index, item] of items.entries()) await work(item, index)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / items.length
}

/**
 * Returns the time of another run after a first run. The first run is not counted, because it includes the
 * compilation.
 */
async function warmUsEach<Item>(items: readonly Item[], work: (item: Item) => unknown): Promise<number> {
  const workOn = async (item: Item) => work(item)
  await cpuUsEach(items, workOn)
  return cpuUsEach(items, workOn)
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
  signedHash: 'x'.repeat(43),
  signatureHash: null,
  clientPaymentId: null,
})

async function serve(gate: PaymentGate): Promise<Server> {
  const app = new Koa().use(async (ctx) => {
    if (ctx.path === '/bare') {
      ctx.type = 'application/json'
      ctx.body = answer
    } else
      await answerPaid(ctx, gate, {
        ...bursts,
        docsUrlOf: () => 'http://127.0.0.1/',
        buildBody: async () => ({ bytes: answer, cutAtMs: 1 }),
      })
  })
  const server = createServer(app.callback())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

const preparePayments = async (gate: PaymentGate, paymentCount: number): Promise<string[]> =>
  paymentsLike(await signFor(gate), paymentCount)
