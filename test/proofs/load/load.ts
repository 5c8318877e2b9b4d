/**
 * `npm run load -- [seconds] [connections]` runs the whole service in its own process with simulated data.
 * Clients read its stream. Other clients buy answers on 16 connections, one after the other, with payments
 * that were signed before. The gate and the ledger are real, and a facilitator in this process accepts every
 * payment. The command prints the sales, the pushed events and the memory of the service. The exit code is 1
 * if a call or connection failed, or if the memory kept growing.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '../../../infra/ports.ts'
import { startAgreeableFacilitator } from '../../bench/payments/agreeable-facilitator.ts'
import { paymentsLike } from '../../bench/payments/many-payments.ts'
import { startClient } from '../../bench/payments/served-load.ts'
import { quantile, startReadingClients } from '../../bench/stream/reading-clients.ts'
import { passTokens } from '../../bench/stream/stream-latency.ts'
import { closeAll } from '../../support/close-all.ts'
import { sign } from '../../support/payments/paid-service.ts'
import { startProgram } from '../../support/programs.ts'
import { measureProcesses } from '../growth/processes.ts'

const [seconds = 60, connections = 1000] = process.argv.slice(2).map(Number)
assert.ok(seconds > 0 && connections > 0, 'npm run load -- [seconds] [connections]')

const buyers = 16
/** The number of payments that are signed together. */
const batchSize = 500
const paths = ['/v1/rh/bursts/live', '/v1/sol/bursts/live', '/v1/rh/pools/new', '/v1/sol/grads/live', '/v1/snapshot']
const secret = 'a secret of the load'
/**
 * The largest allowed growth of the memory, as a factor. Just before a garbage collection, a heap can be this
 * much larger than after it.
 */
const growthMax = 1.3

type Load = Readonly<{ sold: number; failed: number; memoryMb: readonly number[] }>

/** Buys batches until the time is over. The batches take the paths in turn. */
async function buyFor(url: string, pid: number, port: number): Promise<Load> {
  const client = startClient()
  const untilMs = performance.now() + seconds * 1000
  const memoryMb: number[] = []
  let sold = 0
  let failed = 0
  try {
    for (let batch = 0; performance.now() < untilMs; batch++) {
      const path = paths[batch % paths.length] ?? '/'
      const quote = await fetch(url + path)
      assert.equal(quote.status, 402, `${path} is not for sale: ${quote.status}`)
      const payments = paymentsLike(await sign((await quote.json()) as never), batchSize)
      const { failed: refused } = await client.tryCall({ pid }, { port, path: [path], payments, connections: buyers })
      sold += batchSize - refused
      failed += refused
      memoryMb.push((await measureProcesses()).find(({ name }) => name === 'service')?.rssMb ?? Number.NaN)
    }
    return { sold, failed, memoryMb }
  } finally {
    client.close()
  }
}

async function isLive(url: string): Promise<boolean> {
  const health = (await (await fetch(`${url}/v1/health`)).json()) as Readonly<{ status: string }>
  return health.status === 'ok'
}

/** The largest value of the second half, divided by the largest value of the first half. */
function grown(values: readonly number[]): number {
  const middle = Math.ceil(values.length / 2)
  return Math.max(...values.slice(middle)) / Math.max(...values.slice(0, middle))
}

const dataDir = await mkdtemp(join(tmpdir(), 'launch-data-load-'))
const facilitator = await startAgreeableFacilitator()
const [port = 0] = await freePorts(1)
const service = startProgram('up', {
  ...{ DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'error', STREAM_PASS_SECRET: secret },
  // The clients give their addresses in a header.
  ...{ TRUSTED_PROXY_COUNT: '1', ...facilitator.environment },
})
try {
  await service.until(/Launch Data Service on /)
  const url = `http://127.0.0.1:${port}`
  while (!(await isLive(url))) await sleep(1000)
  const streams = passTokens(Math.ceil(connections / 2), secret).flatMap((token) =>
    Array<string>(2).fill(`/v1/sol/bursts/stream?token=${token}`),
  )
  const readers = await startReadingClients({ port, paths: streams.slice(0, connections) })
  readers.begin()
  const { sold, failed, memoryMb } = await buyFor(url, service.pid, port)
  const { events, bytes, lost, afterPublished } = await readers.close()
  const growth = grown(memoryMb)
  console.log(`${seconds} s, ${connections} connections to the stream, ${buyers} of buyers:`)
  console.log(`  ${sold} answers sold, ${failed} failed, ${facilitator.settled()} payments settled`)
  console.log(`  ${JSON.stringify(events)}, ${bytes} bytes pushed, ${lost} connections lost`)
  const after = (share: number) => quantile(afterPublished, share).toFixed(1)
  console.log(
    afterPublished.length === 0
      ? '  no burst and no graduation came in this time'
      : `  events at the clients ${after(0.5)} ms after their tick at the median, ${after(0.99)} ms at p99`,
  )
  const memory = memoryMb.map((each) => Math.round(each))
  console.log(`  memory of the service in MB: ${memory.join(' ')}; the second half ${growth.toFixed(2)} x the first`)
  const heartbeats = events.heartbeat ?? 0
  assert.equal(failed, 0, 'answers failed')
  assert.equal(lost + (events.bye ?? 0), 0, 'connections to the stream were lost')
  assert.ok(heartbeats >= connections * Math.floor(seconds / 15), `${heartbeats} heartbeats are too few`)
  assert.ok(growth <= growthMax, 'the memory kept growing')
} finally {
  service.kill('SIGKILL')
  await service.done
  await closeAll(facilitator.close, () => rm(dataDir, { recursive: true, force: true }))
}
process.exit(0)
