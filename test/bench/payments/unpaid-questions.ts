import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import Koa from 'koa'
import { count, median } from '../rounds.ts'
import type { Flood, FloodResult } from './flood-client.ts'
import { openUnpaidShop, type UnpaidShop } from './unpaid-shop.ts'

const connections = 32
const rounds = 5
const roundMs = 1_000
const purchases = 60
const pauseMs = 50

const unknownPath = '/v1/rh/token/{random}/rugcheck'
const oneAddress = ['203.0.113.5']
const anAddressEach = Array.from({ length: 2_000 }, (_, index) => `203.${index >> 8}.113.${index & 255}`)

/**
 * Measures two things:
 * - The rate of 404s about untracked ids in one process. It is compared with a Koa route that sends the same
 *   bytes. The ratio should be at least 0.3.
 * - How long a buyer of rug checks waits during floods of unpaid requests. The p99 should be at most 3 times
 *   that without a flood.
 */
export async function measureUnpaidQuestions(dataDir: string): Promise<void> {
  const shop = await openUnpaidShop(dataDir)
  const client = fork(new URL('./flood-client.js', import.meta.url), { serialization: 'advanced', execArgv: [] })
  try {
    await measureRefusals(shop, client)
    await measureBuyer(shop, client)
  } finally {
    client.kill()
    await shop.close()
  }
}

async function measureRefusals(shop: UnpaidShop, client: ChildProcess): Promise<void> {
  const unknown = await shop.get(unknownPath.replace('{random}', `0x${'00'.repeat(20)}`))
  const bare = await serveBare(Buffer.from(await unknown.arrayBuffer()))
  const flood = { connections, addresses: oneAddress }
  const rates = { bare: [] as Rate[], refused: [] as Rate[] }
  for (let round = 0; round <= rounds; round++) {
    const ofBare = await rateOf(client, { ...flood, port: bare.port, paths: ['/'] }, '404')
    const ofRefused = await rateOf(client, { ...flood, port: shop.port, paths: [unknownPath] }, '404')
    if (round === 0) continue
    rates.bare.push(ofBare)
    rates.refused.push(ofRefused)
  }
  bare.close()
  console.log(`404s of what is tracked nowhere, ${connections} connections, medians of ${rounds} rounds:`)
  const atBest = printRate('bare Koa route', rates.bare)
  const refused = printRate('not_tracked', rates.refused)
  console.log(
    `  ${(refused.perSecond / atBest.perSecond).toFixed(2)} x bare by the clock, ${(atBest.cpuUs / refused.cpuUs).toFixed(2)} by the CPU it takes (aim 0.3)`,
  )
}

type Rate = Readonly<{ perSecond: number; cpuUs: number }>

function printRate(name: string, rates: readonly Rate[]): Rate {
  const perSecond = median(rates.map((rate) => rate.perSecond))
  const cpuUs = median(rates.map((rate) => rate.cpuUs))
  console.log(`  ${name.padEnd(20)}${count(perSecond).padStart(8)}/s   ${count(cpuUs)} us of CPU each`)
  return { perSecond, cpuUs }
}

async function rateOf(client: ChildProcess, flood: Flood, expected: string): Promise<Rate> {
  const end = await begin(client, flood)
  const before = process.cpuUsage()
  await sleep(roundMs)
  const { user, system } = process.cpuUsage(before)
  const { wallMs, statuses } = await end()
  const answered = statuses[expected] ?? 0
  if (Object.keys(statuses).length !== 1) throw new TypeError(`not only ${expected}: ${JSON.stringify(statuses)}`)
  return { perSecond: (answered / wallMs) * 1000, cpuUs: (user + system) / ((answered / wallMs) * roundMs) }
}

export async function begin(client: ChildProcess, flood: Flood): Promise<() => Promise<FloodResult>> {
  client.send(flood)
  await once(client, 'message')
  return async () => {
    client.send('end')
    const [result] = (await once(client, 'message')) as [FloodResult]
    return result
  }
}

async function serveBare(body: Buffer): Promise<Readonly<{ port: number; close: () => void }>> {
  const app = new Koa().use((ctx) => {
    ctx.status = 404
    ctx.type = 'application/json'
    ctx.body = body
  })
  const server = createServer(app.callback()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() }
}

async function measureBuyer(shop: UnpaidShop, client: ChildProcess): Promise<void> {
  const trackedPaths = shop.tokens.map((token) => `/v1/rh/token/${token}/rugcheck`)
  const floods: readonly (readonly [string, Pick<Flood, 'paths' | 'addresses'>])[] = [
    ['what is tracked nowhere, one address', { paths: [unknownPath], addresses: oneAddress }],
    ['what is tracked nowhere, an address each', { paths: [unknownPath], addresses: anAddressEach }],
    ['what is tracked, one address', { paths: trackedPaths, addresses: oneAddress }],
    ['what is tracked, an address each', { paths: trackedPaths, addresses: anAddressEach }],
  ]
  await buyOften(shop, 10)
  const calm = await buyOften(shop, purchases)
  console.log(
    `${purchases} rug checks of ${count(shop.tokens.length)} tokens bought, ${pauseMs} ms apart, of a local chain and its facilitator; floods over ${connections} connections:`,
  )
  printWaits('calm', calm, '')
  for (const [name, flood] of floods) {
    const end = await begin(client, { ...flood, port: shop.port, connections })
    const beside = await buyOften(shop, purchases)
    const { wallMs, statuses } = await end()
    const told = Object.entries(statuses).map(([status, times]) => `${status}: ${count((times / wallMs) * 1000)}/s`)
    const ratio = (beside.p99 / calm.p99).toFixed(2)
    printWaits(name, beside, `(p99 ${ratio} x calm)   the flood got ${told.join(', ')}`)
  }
}

type Waits = Readonly<{ p50: number; p99: number; failed: number }>

const printWaits = (name: string, { p50, p99, failed }: Waits, more: string): void =>
  console.log(
    `  ${name.padEnd(44)}p50 ${p50.toFixed(0)} ms   p99 ${p99.toFixed(0)} ms   ${failed} failed   ${more}`.trimEnd(),
  )

/**
 * Makes purchases, one after the other. Each purchase is a request for the price and then a paid request. The
 * token changes each time, so that few other requests ask for the same answer.
 */
async function buyOften(shop: UnpaidShop, times: number): Promise<Waits> {
  const waitedMs: number[] = []
  let failed = 0
  for (let turn = 0; turn < times; turn++) {
    const path = `/v1/rh/token/${shop.tokens[turn % shop.tokens.length]}/rugcheck`
    const startedAtMs = performance.now()
    const payment = await shop.sign(path).catch(() => undefined)
    const answer = payment === undefined ? undefined : await shop.get(path, { 'payment-signature': payment })
    await answer?.arrayBuffer()
    if (answer?.status !== 200) failed += 1
    waitedMs.push(performance.now() - startedAtMs)
    await sleep(pauseMs)
  }
  waitedMs.sort((left, right) => left - right)
  const at = (share: number) => waitedMs[Math.floor(waitedMs.length * share)] ?? 0
  return { p50: at(0.5), p99: at(0.99), failed }
}
