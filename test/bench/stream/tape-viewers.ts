import { once, setMaxListeners } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { findSecret } from '../../../infra/data-dir/secrets.ts'
import { startService } from '../../support/service.ts'
import { cpuSecondsOf } from '../process-cpu.ts'

const viewers = 1000
/** The tape accepts 20 viewers of an address, so the viewers come from 50 addresses of this machine. */
const viewersPerAddress = 20
const rounds = 2
const roundSeconds = 60
const settleMs = 40_000

/**
 * Prints the CPU time of a running service with 1,000 viewers of the front page and without them, in turns. As in a
 * browser, each viewer reads the tape and loads the page again once a minute, compressed. The viewers run in this process.
 * They use the operator's key, because the page of the public is empty for 15 minutes after a first start. Their overview
 * is computed every 5 instead of 20 seconds.
 */
export async function measureTapeViewers(dataDir: string): Promise<void> {
  const service = await startService({ DATA_DIR: dataDir })
  try {
    console.log(
      `the whole service with a simulated market, ${rounds} x ${roundSeconds} s each; CPU as a share of one core:`,
    )
    await sleep(settleMs)
    const shares: Record<'without' | 'with', number[]> = { without: [], with: [] }
    for (let round = 0; round < rounds; round++) {
      shares.without.push(await shareOf(service.pid, () => sleep(roundSeconds * 1000)))
      const stop = await openViewers(service.baseUrl, await findSecret(dataDir, 'operator'))
      shares.with.push(await shareOf(service.pid, () => sleep(roundSeconds * 1000)))
      const { pages, events } = stop()
      console.log(`  round ${round + 1}: ${pages} pages and ${events} events read`)
    }
    const [without, withViewers] = [mean(shares.without), mean(shares.with)]
    console.log(`  without viewers       ${without.toFixed(3)}`)
    console.log(`  with ${viewers} viewers    ${withViewers.toFixed(3)}`)
    console.log(
      `  the viewers           ${(withViewers - without).toFixed(3)} (aim < 0.5), ${(withViewers / without).toFixed(2)} x`,
    )
  } finally {
    await service.stop()
  }
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

async function shareOf(pid: number, work: () => Promise<unknown>): Promise<number> {
  const [cpuBefore, atMs] = [cpuSecondsOf(pid), performance.now()]
  await work()
  return (cpuSecondsOf(pid) - cpuBefore) / ((performance.now() - atMs) / 1000)
}

/** Opens all viewers. The returned function closes them, and returns what they have read. */
async function openViewers(
  baseUrl: string,
  key: string | null,
): Promise<() => Readonly<{ pages: number; events: number }>> {
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal)
  const read = { pages: 0, events: 0 }
  const addresses = Array.from(
    { length: viewers },
    (_, index) => `127.0.0.${2 + Math.floor(index / viewersPerAddress)}`,
  )
  const ask = async (path: string, localAddress: string): Promise<IncomingMessage> => {
    const headers = { Accept: 'text/html', 'Accept-Encoding': 'gzip' }
    const [answer] = (await once(
      get(`${baseUrl}${path}?operator=${key}`, { localAddress, headers, agent: false }),
      'response',
    )) as [IncomingMessage]
    if (answer.statusCode !== 200) throw new RangeError(`${path} answers ${answer.statusCode}`)
    return answer
  }
  const loadPages = async (localAddress: string) => {
    while (!stopping.signal.aborted) {
      await sleep(Math.random() * 60_000, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      for await (const _ of await ask('/', localAddress));
      read.pages += 1
      await sleep(60_000, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
  const tapes = await Promise.all(addresses.map((address) => ask('/tape', address)))
  for (const [index, tape] of tapes.entries()) {
    tape.on('data', () => {
      read.events += 1
    })
    tape.on('error', () => {})
    void loadPages(addresses[index] as string)
  }
  return () => {
    stopping.abort()
    for (const tape of tapes) tape.destroy()
    return read
  }
}
