import { type ChildProcess, fork } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { count, spent } from '../rounds.ts'
import type { Flood } from './flood-client.ts'
import { mcpKinds } from './mcp-kinds.ts'
import { begin } from './unpaid-questions.ts'
import { openUnpaidShop, type UnpaidShop } from './unpaid-shop.ts'

const connections = 8
const warmUpMs = 400
const measuredMs = 800

export type Kind = Readonly<{ name: string }> &
  Omit<Flood, 'port' | 'connections'> &
  Partial<Pick<Flood, 'connections'>>

const burstsPath = '/v1/rh/bursts/live'
const addresses = Array.from({ length: 5_000 }, (_, index) => `203.${index >> 8}.113.${index & 255}`)
/** An address that only one kind of request uses. So the limits of this address are not reached. */
const oneAddress = ['198.51.100.5']

/**
 * Measures the CPU time of each kind of work that a caller can cause without paying. The time covers all
 * threads. The figures are for the table in the documentation.
 */
export async function measureUnpaidCosts(dataDir: string): Promise<void> {
  const shop = await openUnpaidShop(dataDir)
  const client = fork(new URL('./flood-client.js', import.meta.url), { serialization: 'advanced', execArgv: [] })
  try {
    console.log(`CPU time of the service for one request, over ${connections} connections:`)
    const kinds = await kindsOf(shop)
    // First, all kinds run one time. Without this run, code that was optimized for the first kinds would be
    // compiled again for later kinds.
    for (const { name: _, ...flood } of kinds) await cost(shop, client, { connections, ...flood, durationMs: warmUpMs })
    for (const { name, ...flood } of kinds) {
      const { cpuUs, perSecond, told } = await cost(shop, client, { connections, ...flood, durationMs: measuredMs })
      console.log(`  ${name.padEnd(46)}${count(cpuUs).padStart(7)} us   ${count(perSecond).padStart(7)}/s   ${told}`)
    }
    await measureQueries(shop)
  } finally {
    client.kill()
    await shop.close()
  }
}

async function kindsOf(shop: UnpaidShop): Promise<readonly Kind[]> {
  const settled = await shop.sign(burstsPath)
  await (await shop.get(burstsPath, { 'payment-signature': settled })).arrayBuffer()
  const paid = (header: string): Pick<Kind, 'headers'> => ({ headers: `PAYMENT-SIGNATURE: ${header}\r\n` })
  const junk = (bytes: number) => Buffer.from('{"x402Version":2,'.repeat(bytes)).toString('base64').slice(0, bytes)
  const unsupported = Buffer.from(JSON.stringify({ ...read(settled), accepted: { scheme: 'exact' } })).toString(
    'base64',
  )
  const close = 'Connection: close\r\n'
  const manyHeaders = Array.from({ length: 190 }, (_, index) => `X-${index}: ${'y'.repeat(100)}\r\n`).join('')
  return [
    { name: 'GET /', paths: ['/'], addresses },
    { name: 'GET /v1/health', paths: ['/v1/health'], addresses },
    { name: 'a free route over its limit', paths: ['/'], addresses: oneAddress },
    { name: 'an unknown path', paths: ['/v1/nothing'], addresses },
    { name: 'another method', paths: [burstsPath], addresses, method: 'DELETE' },
    { name: 'a preflight', paths: [burstsPath], addresses, method: 'OPTIONS', headers: preflight },
    { name: 'a parameter out of bounds', paths: [`${burstsPath}?minutes=0`], addresses },
    { name: 'a quote', paths: [burstsPath], addresses },
    { name: 'a quote by HEAD', paths: [burstsPath], addresses, method: 'HEAD' },
    { name: 'a quote of the snapshot, odd parameters', paths: ['/v1/snapshot?minutes=7.3&x=1&x=2'], addresses },
    { name: 'what is tracked nowhere', paths: ['/v1/rh/token/{random}/rugcheck'], addresses },
    { name: 'what is tracked, found at this cut', paths: [rugCheckPath(shop)], addresses },
    { name: 'a quote with a URL of 4 KB', paths: [`${burstsPath}?x=${'x'.repeat(4_000)}`], addresses },
    { name: 'a URL of 30 KB', paths: [`${burstsPath}?x=${'x'.repeat(30_000)}`], addresses },
    { name: 'a quote with 190 headers, 20 KB', paths: [burstsPath], addresses, headers: manyHeaders },
    { name: 'a head of 40 KB', paths: [`/${'x'.repeat(40_000)}`], addresses, isConnectingAnew: true },
    {
      name: 'a quote over a connection of its own',
      paths: [burstsPath],
      addresses,
      headers: close,
      isConnectingAnew: true,
    },
    { name: 'what is not HTTP', paths: ['/'], addresses, method: '\u0001', isConnectingAnew: true },
    { name: 'ten requests in one packet', paths: ['/v1/nothing'], addresses, ...pipelined, isConnectingAnew: true },
    { name: 'a payment that is garbage, 100 bytes', paths: [burstsPath], addresses, ...paid(junk(100)) },
    { name: 'a payment that is garbage, 12 KB', paths: [burstsPath], addresses, ...paid(junk(12_000)) },
    { name: 'a payment that is too long, 30 KB', paths: [burstsPath], addresses, ...paid(junk(30_000)) },
    { name: 'a payment for another network', paths: [burstsPath], addresses, ...paid(unsupported) },
    { name: 'a payment used for another request', paths: [`${burstsPath}?minutes=5`], addresses, ...paid(settled) },
    { name: 'a settled payment again, its answer again', paths: [burstsPath], addresses, ...paid(settled) },
    ...mcpKinds(addresses, oneAddress, read(settled)),
  ]
}

const preflight =
  'Origin: https://a.example\r\nAccess-Control-Request-Method: GET\r\nAccess-Control-Request-Headers: payment-signature\r\n'

/**
 * The headers contain nine further requests, so one packet has ten requests. The last request has no end
 * here, because the client adds the end of the headers.
 */
const pipelined: Pick<Kind, 'headers'> = {
  headers: `\r\n${'GET /v1/nothing HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(8)}GET /v1/nothing HTTP/1.1\r\nHost: a\r\n`,
}

const read = (header: string): object => JSON.parse(Buffer.from(header, 'base64').toString())

async function cost(shop: UnpaidShop, client: ChildProcess, { durationMs, ...flood }: Timed) {
  const end = await begin(client, { ...flood, port: shop.port })
  const before = process.cpuUsage()
  await sleep(durationMs)
  const { user, system } = process.cpuUsage(before)
  const { wallMs, statuses } = await end()
  const perSecond = (Object.values(statuses).reduce((sum, times) => sum + times, 0) / wallMs) * 1000
  const told = Object.entries(statuses).map(([status, times]) => `${status}: ${count(times)}`)
  return { cpuUs: (user + system) / ((perSecond * durationMs) / 1000), perSecond, told: told.join(', ') }
}

type Timed = Omit<Flood, 'port'> & Readonly<{ durationMs: number }>

const rugCheckPath = ({ tokens }: UnpaidShop): string => `/v1/rh/token/${tokens[0]}/rugcheck`

/** Runs the queries one after the other, without HTTP. Each query is for another data time (cut). */
async function measureQueries(shop: UnpaidShop): Promise<void> {
  const times = 50
  const print = async (name: string, work: (index: number) => Promise<unknown>) => {
    await work(0)
    const { cpuMs, wallMs } = await spent(async () => {
      for (let index = 1; index <= times; index++) await work(index)
    })
    const [cpuUs, eachMs] = [(cpuMs * 1000) / times, wallMs / times]
    console.log(`  ${name.padEnd(46)}${count(cpuUs).padStart(7)} us   ${eachMs.toFixed(1)} ms by the clock`)
  }
  await print('the query: what a cut is', (index) => shop.cutAt(index))
  const paths = [rugCheckPath(shop), `/v1/rh/pools/${shop.pools[0]}/flow`, `/v1/rh/token/${shop.tokens[0]}/verdict`]
  for (const path of paths)
    await print(`the query: a cut, and ${path.replace(/0x\w+/, '…')}`, (index) => shop.answerAt(path, index))
  await print('the query: an extension of the set', (index) => shop.extendAt(index))
}
