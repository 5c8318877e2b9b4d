import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { startApi } from '../../../api/edge/listen.ts'
import type { PaymentGate } from '../../../api/payments/payment.ts'
import { followChains } from '../../../api/stream/feed.ts'
import { createPasses } from '../../../api/stream/passes.ts'
import type { PublishedTick } from '../../../api/stream/published-ticks.ts'
import { createStream } from '../../../api/stream/stream.ts'
import { startThread } from '../../../infra/command-line/program-thread.ts'
import { readConfig } from '../../../infra/config.ts'
import { type OpenLog, openLog } from '../../../infra/log/open-log.ts'
import { silentLogger } from '../../replay/stage-log.ts'
import { pushedChains } from '../../support/pushed-chains.ts'
import { preciseNowMs } from '../answers/paced-publisher.ts'
import { silentConsole } from '../answers/silent-console.ts'
import { count } from '../rounds.ts'
import { startBareFanOut } from './bare-fan-out.ts'
import { quantile, type ReadingClients, startReadingClients } from './reading-clients.ts'
import type { StreamsResult } from './stream-clients.ts'

type StreamBench = Readonly<{ dataDir: string; seconds: number; connections: number }>

const swapsPerSecond = 2000
const pools = 400
const warmUpMs = 5000
const eventMs = 250
const secret = 'a secret of the bench'
/**
 * The URL of a node of chain A. It makes the service run only chain A, because chain B must not run here. The
 * stage does not connect to this URL.
 */
const nowhere = 'http://127.0.0.1:1'
const streamPath = '/v1/sol/bursts/stream'

/**
 * Prints the time from a tick of the derived log until its events arrive at the clients. The clients run in
 * another process. For comparison, a minimal server sends as many bytes to as many clients. Meanwhile, a
 * thread of the service's process runs the stage of chain A at 2,000 swaps/s. Another thread publishes four
 * bursts of chain B per second.
 */
export async function measureStreamLatency({ dataDir, seconds, connections }: StreamBench): Promise<void> {
  const open = await openLog({ dataDir, nowMs: Date.now })
  const config = readConfig({ DATA_DIR: dataDir, METRICS_PORT: '0', LOG_LEVEL: 'error', CHAIN_A_RPC_URL: nowhere })
  const stage = startThread('process', { config, console: silentConsole })
  const threads = [
    stage,
    startWorker('../answers/paced-publisher.js', { dataDir, swapsPerSecond, pools }),
    startWorker('./paced-bursts.js', { dataDir }),
  ]
  try {
    console.log(
      `${count(connections)} clients in another process, 4 events a second and those of ${count(swapsPerSecond)} swaps/s, ${seconds} s each:`,
    )
    const { read, pushed } = await measurePushed(open, { seconds, connections })
    const events = pushed.afterPublished.length
    print('the stream, from its tick', pushed.afterPublished, events)
    print('of that, until the tick is read', read, read.length)
    print('and from the fact’s tick', pushed.afterKnown, events)
    const bytes = Math.round(pushed.bytes / Object.values(pushed.events).reduce((sum, each) => sum + each, 0))
    const bare = await measureBare({ bytes, seconds, connections })
    print(`a bare fan-out of ${count(bytes)} bytes`, bare.afterPublished, bare.afterPublished.length)
    const times = (share: number) =>
      (quantile(pushed.afterPublished, share) / Math.max(0.1, quantile(bare.afterPublished, share))).toFixed(2)
    console.log(`  ${times(0.5)} x bare at the median, ${times(0.99)} x at p99 (aim: p99 below 50 ms)`)
  } finally {
    for (const thread of threads) thread.stop()
    await Promise.allSettled(threads.map(({ done }) => done))
    await open.close()
  }
}

type Measuring = Pick<StreamBench, 'seconds' | 'connections'>

async function measurePushed(open: OpenLog, { seconds, connections }: Measuring) {
  const publicBaseUrl = 'http://127.0.0.1'
  const stream = createStream({
    ...{ chains: pushedChains, secret, publicBaseUrl, isEnabled: true, nowMs: Date.now },
    ...{ open, logger: silentLogger },
  })
  const afterPublished: number[] = []
  const noteRead = ({ records }: PublishedTick) => {
    for (const { publishedAtMs } of records) afterPublished.push(preciseNowMs() - publishedAtMs)
  }
  const stopping = new AbortController()
  const { signal } = stopping
  const following = followChains({
    ...{ ...open, sources: pushedChains, listeners: [noteRead, stream.onTick], onStart: stream.onStart },
    ...{ nowMs: Date.now, logger: silentLogger, signal },
  })
  const nobody = { sources: [], routes: [], cuts: noCuts, gate: noGate }
  const api = await startApi(
    {
      ...{ ...nobody, stream: stream.route, publicBaseUrl, viewRefreshMs: 1000, trustedProxyCount: 1 },
      ...{ nowMs: Date.now, logger: silentLogger },
    },
    { port: 0, host: '127.0.0.1' },
  )
  try {
    const paths = passTokens(Math.ceil(connections / 2)).flatMap((token) =>
      Array(2).fill(`${streamPath}?token=${token}`),
    )
    const clients = await startReadingClients({ port: api.port, paths: paths.slice(0, connections) })
    const pushed = await readFor(seconds, clients)
    return { pushed, read: Float64Array.from(afterPublished).sort() }
  } finally {
    stopping.abort()
    await Promise.allSettled([following, api.stop()])
  }
}

/** Returns `passCount` tokens. Each token allows two connections. */
export function passTokens(passCount: number, passSecret = secret): readonly string[] {
  const passes = createPasses(passSecret)
  const issuedAtMs = Date.now()
  return Array.from({ length: passCount }, (_, index) =>
    passes.tokenFor({ paymentId: `bench ${index}`, issuedAtMs, expiresAtMs: issuedAtMs + 3_600_000 }),
  )
}

async function measureBare({ bytes, seconds, connections }: Measuring & Readonly<{ bytes: number }>) {
  const fanOut = await startBareFanOut(bytes)
  const clients = await startReadingClients({ port: fanOut.port, paths: Array<string>(connections).fill('/') })
  const timer = setInterval(fanOut.push, eventMs)
  try {
    return await readFor(seconds, clients)
  } finally {
    clearInterval(timer)
    fanOut.close()
  }
}

async function readFor(seconds: number, clients: ReadingClients): Promise<StreamsResult> {
  await sleep(warmUpMs)
  clients.begin()
  await sleep(seconds * 1000)
  const result = await clients.close()
  if (result.lost > 0) throw new RangeError(`${result.lost} connections were lost`)
  return result
}

function startWorker(file: string, workerData: object) {
  const worker = new Worker(new URL(file, import.meta.url), { workerData })
  const done = new Promise<void>((resolve, reject) => {
    worker.once('error', reject)
    worker.once('exit', () => resolve())
  })
  done.catch(() => {})
  return { done, stop: () => worker.postMessage('stop') }
}

function print(name: string, latencies: Float64Array, events: number): void {
  const at = (share: number) => quantile(latencies, share).toFixed(1)
  console.log(
    `  ${name.padEnd(34)}p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, worst ${at(1)} ms (${count(events)} events read)`,
  )
}

/** This bench sells nothing. */
const notSold = () => {
  throw new TypeError('nothing is sold in this bench')
}
const noCuts = { newest: async () => null, at: async () => null, oldestAtMs: async () => null }
const noGate = { ...({} as PaymentGate), run: notSold, close: async () => {} }
