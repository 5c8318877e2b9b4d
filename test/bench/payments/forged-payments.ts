/** Measures how long a buyer waits for an answer while others send forged payments. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodePaymentSignatureHeader } from '@x402/core/http'
import type { PaymentPayload } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client } from '@x402/fetch'
import Koa from 'koa'
import { privateKeyToAccount } from 'viem/accounts'
import { createEvmNetwork } from '../../../api/payments/evm/network.ts'
import { createHttpFacilitator } from '../../../api/payments/facilitator/http-facilitator.ts'
import { openPaymentLedger, type PaymentRecord } from '../../../api/payments/ledger/ledger.ts'
import type { PaymentGate } from '../../../api/payments/payment.ts'
import { createPaymentGate } from '../../../api/payments/payment-gate.ts'
import { answerPaid } from '../../../api/x402-koa/answer-paid.ts'
import { createSchemaCodec } from '../../../infra/codec/schema-codec.ts'
import { type LocalPayments, startLocalPayments } from '../../../infra/development/payments/start-local-payments.ts'
import { openLog } from '../../../infra/log/open-log.ts'
import { topics } from '../../../schemas/topics.ts'
import { forge, forgeNamed, forgePenniless, forgeryKinds } from '../../support/payments/forgeries.ts'
import { bursts } from '../../support/payments/paid-service.ts'
import { count } from '../rounds.ts'

const purchases = 80
const pauseMs = 50
const buyerAddress = '198.51.100.9'

type Forger = (honest: PaymentPayload, index: number) => string | Promise<string>
type Storm = Readonly<{ name: string; perSecond: number; forger: Forger; addressOf: (index: number) => string }>

const garbage: Forger = (honest, index) => forge(honest, forgeryKinds[index % forgeryKinds.length] ?? 'random')
const kinds = [
  { name: 'all kinds, 6 a second', perSecond: 6, forger: garbage },
  { name: 'all kinds, 200 a second', perSecond: 200, forger: garbage },
  { name: 'well signed without money, 20 a second', perSecond: 20, forger: forgePenniless },
  { name: "in the buyer's name, 6 a second", perSecond: 6, forger: forgeNamed },
] as const

const storms: readonly Storm[] = [
  ...kinds.flatMap((kind) => [
    { ...kind, name: `${kind.name}, elsewhere`, addressOf: () => '203.0.113.5' },
    { ...kind, name: `${kind.name}, his address`, addressOf: () => buyerAddress },
  ]),
  {
    name: 'all kinds, 50 a second, an address each',
    perSecond: 50,
    forger: garbage,
    addressOf: (index) => `203.${index >> 8}.113.${index & 255}`,
  },
]

type Shop = Readonly<{ url: string; gate: PaymentGate; money: LocalPayments; close: () => Promise<void> }>

/**
 * Buys again and again over the local chain and its facilitator. First there are no forged payments, then one
 * flood (`storm`) after the other. A flood comes from another address or from the buyer's own address.
 * Prints the p99 of the duration of a purchase, and the number of failed purchases and price requests. The
 * p99 should be at most 3 times that without a flood, and there should be no failures.
 */
export async function measureForgedPayments(dataDir: string): Promise<void> {
  const shop = await openShop(dataDir)
  try {
    await buyOften(shop, 20)
    const calm = await buyOften(shop, purchases)
    console.log(`${purchases} purchases, ${pauseMs} ms apart, of a local chain and its facilitator:`)
    console.log(
      `  calm${' '.repeat(48)}p50 ${calm.p50.toFixed(0)} ms   p99 ${calm.p99.toFixed(0)} ms   ${calm.failed} failed`,
    )
    for (const storm of storms) {
      const forged = await forgeAll(shop, storm)
      const over = new AbortController()
      const raging = rage(shop, { ...storm, forged }, over.signal)
      const { p50, p99, failed } = await buyOften(shop, purchases)
      over.abort()
      const statuses = await raging
      const told = [...statuses].map(([status, times]) => `${status}: ${count(times)}`).join(', ')
      console.log(
        `  ${storm.name.padEnd(52)}p50 ${p50.toFixed(0)} ms   p99 ${p99.toFixed(0)} ms (${(p99 / calm.p99).toFixed(2)} x calm)   ${failed} failed; forgeries got ${told}`,
      )
      await sleep(1_000)
    }
  } finally {
    await shop.close()
  }
}

async function buyOften(shop: Shop, times: number) {
  const client = new x402Client().register(
    'eip155:8453',
    new ExactEvmScheme(privateKeyToAccount(shop.money.buyerPrivateKey)),
  )
  const waitedMs: number[] = []
  let failed = 0
  for (let turn = 0; turn < times; turn++) {
    const startedAtMs = performance.now()
    const quote = await send(shop, null, buyerAddress)
    const body = await quote.json()
    if (quote.status === 402) {
      const header = encodePaymentSignatureHeader(await client.createPaymentPayload(body as never))
      const answer = await send(shop, header, buyerAddress)
      await answer.arrayBuffer()
      if (answer.status !== 200) failed += 1
    } else failed += 1
    waitedMs.push(performance.now() - startedAtMs)
    await sleep(pauseMs)
  }
  waitedMs.sort((left, right) => left - right)
  const at = (share: number) => waitedMs[Math.floor(waitedMs.length * share)] ?? 0
  return { p50: at(0.5), p99: at(0.99), failed }
}

/** Makes the forged payments before the flood, because signing costs more than the work that is measured. */
async function forgeAll(shop: Shop, { forger }: Storm): Promise<readonly string[]> {
  const honest = await honestPayload(shop)
  return Promise.all(Array.from({ length: 250 }, (_, index) => forger(honest, index)))
}

/** Sends requests until the signal aborts. Returns the number of answers by status. */
async function rage(
  shop: Shop,
  { forged, perSecond, addressOf }: Pick<Storm, 'perSecond' | 'addressOf'> & Readonly<{ forged: readonly string[] }>,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, number>> {
  const statuses = new Map<number, number>()
  const underWay: Promise<void>[] = []
  for (let index = 0; !signal.aborted; index++) {
    const answered = send(shop, forged[index % forged.length] ?? null, addressOf(index)).then(async (answer) => {
      await answer.arrayBuffer()
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    })
    underWay.push(answered)
    await sleep(1000 / perSecond)
  }
  await Promise.all(underWay)
  return statuses
}

async function honestPayload({ gate, money }: Shop): Promise<PaymentPayload> {
  const quote = await gate.requirePayment(bursts)
  if (quote.kind !== 'paymentRequired') throw new TypeError(`no 402 but ${quote.kind}`)
  const scheme = new ExactEvmScheme(privateKeyToAccount(money.buyerPrivateKey))
  return new x402Client().register('eip155:8453', scheme).createPaymentPayload(quote.body)
}

const send = ({ url }: Shop, payment: string | null, address: string): Promise<Response> =>
  fetch(url, { headers: { 'x-forwarded-for': address, ...(payment === null ? {} : { 'payment-signature': payment }) } })

async function openShop(dataDir: string): Promise<Shop> {
  const money = await startLocalPayments({ isEvmAlone: true })
  const open = await openLog({ dataDir, nowMs: Date.now })
  const codec = await createSchemaCodec<PaymentRecord>(topics.payments, open.registry)
  const ledger = await openPaymentLedger({ log: open.log, codec, nowMs: Date.now })
  const { payTo, rpcUrl } = money
  const quiet = () => {}
  const gate = await createPaymentGate({
    facilitators: [createHttpFacilitator({ url: money.facilitatorUrl })],
    networks: [createEvmNetwork({ network: 'eip155:8453', payTo, rpcUrl, isLocal: true })],
    ledger,
    publicBaseUrl: 'http://127.0.0.1',
    nowMs: Date.now,
    sleep: (durationMs) => sleep(durationMs),
    logger: { info: quiet, warn: quiet, error: quiet },
  })
  const bytes = Buffer.from(JSON.stringify({ rows: 'x'.repeat(20_000) }))
  const app = new Koa({ proxy: true, maxIpsCount: 1 }).use((ctx) =>
    answerPaid(ctx, gate, {
      ...bursts,
      docsUrlOf: () => 'http://127.0.0.1/',
      buildBody: async () => ({ bytes, cutAtMs: Date.now() }),
    }),
  )
  const server = createServer(app.callback()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    gate,
    money,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await gate.close()
      await open.close()
      await money.stop()
    },
  }
}
