/**
 * Measures the paid answers per second of our payment gate, of the official middleware, and of a route
 * without payment. Each runs in a fresh process.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { bursts, sign } from '../../support/payments/paid-service.ts'
import { count, median } from '../rounds.ts'
import { answer } from './gate-shop.ts'
import type { Load, LoadResult } from './load-client.ts'
import { paymentsLike } from './many-payments.ts'
import type { SellerName } from './seller.ts'

const names: readonly SellerName[] = ['bare', 'express', 'gate']
const rounds = 5
const roundsToWarmUp = 2
const callsPerRound = 2_000
const connections = 64

type Seller = Readonly<{ name: SellerName; child: ChildProcess; port: number }>
type Measured = Readonly<{ rate: number; cpuUs: number }>

export async function measureBesideExpress(dataDir: string): Promise<void> {
  const client = fork(new URL('./load-client.js', import.meta.url), { serialization: 'advanced', execArgv: [] })
  const sellers = await Promise.all(names.map((name) => startSeller(name, join(dataDir, name))))
  const measured = new Map<SellerName, Measured[]>(names.map((name) => [name, []]))
  try {
    // The servers are measured in turn. So a slow phase of the machine affects all of them.
    for (let round = 0; round < roundsToWarmUp + rounds; round++)
      for (const seller of sellers) {
        const result = await sell(client, seller)
        if (round >= roundsToWarmUp) measured.get(seller.name)?.push(result)
      }
  } finally {
    for (const { child } of sellers) child.kill()
    client.kill()
  }
  console.log(
    `paid answers of ${count(answer.length)} bytes, ${connections} connections, a facilitator in each process that believes everybody, medians of ${rounds} rounds:`,
  )
  const [bare, official, ours] = names.map((name) => print(name, measured.get(name) ?? []))
  assert(bare && official && ours)
  const ratio = (left: Measured, right: Measured) =>
    `${(left.rate / right.rate).toFixed(2)} x by the clock, ${(right.cpuUs / left.cpuUs).toFixed(2)} by the CPU it takes`
  console.log(
    `  the gate with its durable ledger beside the official middleware, which has none: ${ratio(ours, official)} (aim 2)`,
  )
  console.log(`  the gate beside a bare Koa route: ${ratio(ours, bare)}`)
}

const labels: Readonly<Record<SellerName, string>> = {
  bare: 'bare Koa route',
  express: '@x402/express',
  gate: 'our gate on Koa',
}

function print(name: SellerName, measured: readonly Measured[]): Measured {
  const rate = median(measured.map((each) => each.rate))
  const cpuUs = median(measured.map((each) => each.cpuUs))
  console.log(`  ${labels[name].padEnd(20)}${count(rate).padStart(8)}/s   ${count(cpuUs)} us of CPU a call`)
  return { rate, cpuUs }
}

async function startSeller(name: SellerName, dataDir: string): Promise<Seller> {
  const child = fork(new URL('./seller.js', import.meta.url), [name, dataDir], { execArgv: [] })
  const [port] = (await once(child, 'message')) as [number]
  return { name, child, port }
}

async function sell(client: ChildProcess, { name, child, port }: Seller): Promise<Measured> {
  const payments = name === 'bare' ? Array<null>(callsPerRound).fill(null) : await preparePayments(port)
  client.send({ port, path: [bursts.resourcePath], payments, connections } satisfies Load)
  await once(client, 'message')
  const before = await cpuUsOf(child)
  client.send('go')
  const [{ wallMs, failed, bytes }] = (await once(client, 'message')) as [LoadResult]
  const cpuUs = ((await cpuUsOf(child)) - before) / callsPerRound
  assert(failed === 0 && bytes === answer.length * callsPerRound, `${failed} calls of ${labels[name]} failed`)
  return { rate: (callsPerRound / wallMs) * 1000, cpuUs }
}

async function cpuUsOf(child: ChildProcess): Promise<number> {
  child.send('cpu')
  const [cpuUs] = (await once(child, 'message')) as [number]
  return cpuUs
}

/** Makes signed payments for the price that the server requests. */
async function preparePayments(port: number): Promise<string[]> {
  const asked = await fetch(`http://127.0.0.1:${port}${bursts.resourcePath}`)
  await asked.arrayBuffer()
  const required = decodePaymentRequiredHeader(asked.headers.get('payment-required') ?? '')
  return paymentsLike(await sign(required), callsPerRound)
}
