import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PaymentRequired } from '@x402/core/types'
import { freePorts } from '../../../infra/ports.ts'
import { sign } from '../../support/payments/paid-service.ts'
import { type RunningProgram, startProgram } from '../../support/programs.ts'
import { cpuSecondsOf } from '../process-cpu.ts'
import { count, median } from '../rounds.ts'
import { startAgreeableFacilitator } from './agreeable-facilitator.ts'
import { type BareServer, startBareServer } from './bare-server.ts'
import { paymentsLike } from './many-payments.ts'
import { type Client, type Served, startClient } from './served-load.ts'

const rounds = 3
const connections = 16
const idleMs = 3000
/** With this past, the simulated market has some hundred pools. */
const hours = { SIMULATOR_LOOK_BACK_HOURS: '12' }

/**
 * `paths` returns the request paths of one round. At each data time (cut), the first request of a path is
 * answered from the database, and later requests are answered from the cache.
 */
type Question = Readonly<{ name: string; calls: number; paths: readonly string[] }>

type Service = Readonly<{ url: string; port: number; program: RunningProgram }>

/**
 * Measures how many paid answers per second the whole service sells in a fresh process (`launch-data up` with
 * live simulated trades). This includes all its work for an answer: parameters, data time (cut), query, JSON,
 * payment gate and ledger. For comparison, a plain Koa route in a fresh process sends as many bytes. The time
 * of facilitator and chain is not included, because the test facilitator accepts at once.
 */
export async function measurePaidService(dataDir: string): Promise<void> {
  const facilitator = await startAgreeableFacilitator()
  const client = startClient()
  const service = await startService(dataDir, facilitator.environment)
  try {
    const flows = await flowPaths(service)
    const [before, startedAtMs] = [cpuSecondsOf(service.program.pid), performance.now()]
    await sleep(idleMs)
    const idle = (cpuSecondsOf(service.program.pid) - before) / ((performance.now() - startedAtMs) / 1000)
    console.log(
      `paid answers of the whole service, ${connections} connections, medians of ${rounds} rounds after one; ${(idle * 100).toFixed(0)} % of a core goes to its market, calls or none:`,
    )
    const questions: readonly Question[] = [
      { name: 'bursts/live, one query a cut', calls: 2000, paths: ['/v1/rh/bursts/live'] },
      // The data time changes at least once a second, so no answer about a pool is in the cache when it is asked for again.
      { name: 'flow of another pool each', calls: flows.length, paths: flows },
    ]
    for (const question of questions) await compare(question, { service, client })
  } finally {
    client.close()
    service.program.kill('SIGKILL')
    await service.program.done
    await facilitator.close()
  }
}

async function compare(question: Question, { service, client }: Readonly<{ service: Service; client: Client }>) {
  const { calls, paths } = question
  const bareCalls = Math.max(calls, 2000)
  const sold: Served[] = []
  const plain: Served[] = []
  let bare: BareServer | null = null
  for (let round = 0; round <= rounds; round++) {
    const payments = paymentsLike(await sign(await quoteOf(`${service.url}${paths[0]}`)), calls)
    const answered = await client.call(
      { pid: service.program.pid },
      { port: service.port, path: paths, payments, connections },
    )
    bare ??= await startBareServer(Math.round(answered.bytes))
    const nobody = Array.from({ length: bareCalls }, () => null)
    const given = await client.call(bare, { port: bare.port, path: ['/'], payments: nobody, connections })
    if (round === 0) continue
    sold.push(answered)
    plain.push(given)
  }
  bare?.stop()
  const [best, its] = [print('bare Koa route', plain), print(question.name, sold)]
  console.log(
    `    ${(its.rate / best.rate).toFixed(3)} x bare by the clock, ${(best.cpuUs / its.cpuUs).toFixed(3)} by the CPU it takes`,
  )
}

function print(name: string, served: readonly Served[]): Served {
  const of = (key: keyof Served) => median(served.map((each) => each[key]))
  const [rate, cpuUs, bytes] = [of('rate'), of('cpuUs'), of('bytes')]
  console.log(
    `  ${name.padEnd(30)}${count(rate).padStart(7)}/s   ${count(cpuUs)} us of CPU a call, ${count(bytes)} bytes`,
  )
  return { rate, cpuUs, bytes }
}

async function startService(dataDir: string, environment: Readonly<Record<string, string>>): Promise<Service> {
  const [port = 0] = await freePorts(1)
  const program = startProgram('up', {
    DATA_DIR: dataDir,
    PORT: String(port),
    LOG_LEVEL: 'error',
    ...hours,
    ...environment,
  })
  await program.until(/Launch Data Service on /)
  const url = `http://127.0.0.1:${port}`
  while (!(await isLive(url))) await sleep(1000)
  return { url, port, program }
}

async function isLive(url: string): Promise<boolean> {
  const { status, dataAgeSec } = (await (await fetch(`${url}/v1/health`)).json()) as Readonly<{
    status: string
    dataAgeSec: number | null
  }>
  return status === 'ok' && dataAgeSec !== null && dataAgeSec <= 5
}

async function quoteOf(url: string): Promise<PaymentRequired> {
  const answer = await fetch(url)
  assert.equal(answer.status, 402)
  return (await answer.json()) as PaymentRequired
}

/** Returns the paths of the flow route for all pools of the last day. */
async function flowPaths({ url }: Service): Promise<readonly string[]> {
  const path = `${url}/v1/rh/pools/new?hours=24&limit=1000`
  const [payment = ''] = paymentsLike(await sign(await quoteOf(path)), 1)
  const answer = await fetch(path, { headers: { 'payment-signature': payment } })
  const { pools } = (await answer.json()) as Readonly<{ pools: readonly Readonly<{ id: string }>[] }>
  assert(pools.length > connections, `${pools.length} pools are too few`)
  return pools.map(({ id }) => `/v1/rh/pools/${id}/flow`)
}
