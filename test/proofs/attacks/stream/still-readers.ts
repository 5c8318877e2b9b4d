/**
 * Opens the stream for clients that never read, clients that read everything, and clients that begin to read
 * late. Purchases run at the same time. The unread data must not fill the memory or delay others.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { passTokens } from '../../../bench/stream/stream-latency.ts'
import { startListening } from '../programs.ts'
import { buy, closeBuyers, createBuyer } from '../storms/buyers.ts'
import { boughtPath } from '../storms/storm-kinds.ts'
import { passSecret, pushedBursts, pushMs } from './pushed-bursts.ts'
import { type StreamReader, startStreamReader } from './stream-reader.ts'

export type Stillness = Readonly<{
  still: number
  waking: number
  reading: number
}>

export type Suffered = Readonly<{
  /** The number of constant readers that got each burst. */
  whole: number
  latestMs: number
  /**
   * The number of late readers without a gap in their bursts: they got all bursts, or the service dismissed
   * them as too slow.
   */
  wokenWell: number
  /** The number of connections to clients that never read, which the service still holds at the end. */
  held: number
  bought: number
  refused: readonly number[]
  slowestPurchaseMs: number
  grownMb: number
  /** The highest memory use of the operating system for the buffers of all connections, in megabytes. */
  socketsMb: number
}>

/** The number of readers per address, below the limit of the service. */
const readersOfAddress = 75
/**
 * The wait after the last burst until all connections have ended, in milliseconds. A dismissed client has 5 s
 * for its last bytes.
 */
const endMs = 8_000

export async function sufferStillness({ still, waking, reading }: Stillness): Promise<Suffered> {
  const facilitator = await startListening('serve-facilitator.ts')
  const shop = await startListening('serve-shop.ts', `http://127.0.0.1:${facilitator.port}`)
  const readers: StreamReader[] = []
  try {
    const tokens = passTokens(still + waking + reading, passSecret)
    for (const [index, token] of tokens.entries()) {
      readers.push(await startStreamReader({ port: shop.port, address: addressOf(index, still), token }))
    }
    const [stillOnes, wakingOnes, readingOnes] = [
      readers.slice(0, still),
      readers.slice(still, still + waking),
      readers.slice(still + waking),
    ]
    // Clients are greeted in order, so all are connected when the last one is greeted.
    for (const reader of readingOnes) reader.wake()
    while (!readingOnes.every(({ read }) => read.isGreeted)) await sleep(100)
    const sales = sellUntil({ port: shop.port, address: '127.0.11.1', path: boughtPath }, pushMs + endMs)
    const before = memoryMbOf(shop.pid)
    let most = before
    let socketsMb = 0
    const measuring = setInterval(() => {
      most = Math.max(most, memoryMbOf(shop.pid))
      socketsMb = Math.max(socketsMb, socketsMbNow())
    }, 250)
    process.kill(shop.pid, 'SIGUSR2')
    for (const reader of wakingOnes) {
      await sleep(pushMs / Math.max(1, waking))
      reader.wake()
    }
    const { bought, refused, slowestMs } = await sales
    clearInterval(measuring)
    return {
      ...{ bought, refused, slowestPurchaseMs: slowestMs, grownMb: most - before, socketsMb },
      whole: readingOnes.filter(({ isOpen, read }) => isOpen() && isWhole(read)).length,
      latestMs: Math.max(...readingOnes.map(({ read }) => read.latestMs)),
      wokenWell: wakingOnes.filter(({ read }) => read.missed === 0 && (isWhole(read) || read.bye === 'too_slow'))
        .length,
      held: heldConnections(shop.port, stillOnes.length),
    }
  } finally {
    for (const reader of readers) reader.close()
    closeBuyers()
    for (const program of [shop, facilitator]) program.stop()
  }
}

const isWhole = ({ next, missed }: StreamReader['read']): boolean => missed === 0 && next === pushedBursts + 1

const established = '01'
const closedByUs = '04'

/** The number of connections of still clients, on the shop's side. */
function heldConnections(port: number, readers: number): number {
  const addresses = new Set(Array.from({ length: readers }, (_, index) => hexOf(addressOf(index, readers))))
  const rows = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((row) => row.trim().split(/\s+/))
  return rows.filter(([, local = '', remote = '', state = '']) => {
    const isOurs = Number.parseInt(local.split(':')[1] ?? '', 16) === port
    return isOurs && addresses.has(remote.split(':')[0] ?? '') && [established, closedByUs].includes(state)
  }).length
}

/** The first `still` readers never read. They share no address with other readers. */
const addressOf = (reader: number, still: number): string =>
  `127.0.${reader < still ? 10 : 12}.${Math.floor(reader / readersOfAddress) + 1}`

/** The address in the notation of /proc/net/tcp. */
const hexOf = (address: string): string =>
  Buffer.from(address.split('.').map(Number).toReversed()).toString('hex').toUpperCase()

type Sales = Readonly<{ bought: number; refused: readonly number[]; slowestMs: number }>

async function sellUntil(place: Parameters<typeof buy>[1], durationMs: number): Promise<Sales> {
  const startedAtMs = performance.now()
  const refused: number[] = []
  let bought = 0
  let slowestMs = 0
  while (performance.now() - startedAtMs < durationMs) {
    const { isBought, status, waitedMs } = await buy(await createBuyer('EVM'), place, 0)
    if (isBought) bought += 1
    else refused.push(status)
    slowestMs = Math.max(slowestMs, waitedMs)
    await sleep(250)
  }
  return { bought, refused, slowestMs: Math.round(slowestMs) }
}

const memoryMbOf = (pid: number): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024)

const pageKb = 4

const socketsMbNow = (): number =>
  Math.round((Number(/TCP: .*mem (\d+)/.exec(readFileSync('/proc/net/sockstat', 'utf8'))?.[1]) * pageKb) / 1024)

const grownMbMax = 300
const latestMsMax = 5_000

export const isUnhurtBy = ({ still, waking, reading }: Stillness, suffered: Suffered): boolean =>
  suffered.whole === reading &&
  suffered.wokenWell === waking &&
  suffered.held === 0 &&
  still > 0 &&
  suffered.refused.length === 0 &&
  suffered.bought > 0 &&
  suffered.grownMb < grownMbMax

/** Returns false if a client missed a burst, a purchase failed, or the memory grew too much. */
export async function attackByStillReaders(): Promise<boolean> {
  const stillness = { still: 300, waking: 30, reading: 50 }
  const suffered = await sufferStillness(stillness)
  console.log(
    `${pushedBursts} bursts in ${pushMs / 1000} s, 300 clients that never read, 30 that wake up late, 50 that read:`,
  )
  console.log(`  who read got all: ${suffered.whole}, the latest burst after ${suffered.latestMs} ms`)
  console.log(`  who woke up late got all, or were told that they were too slow: ${suffered.wokenWell}`)
  console.log(`  connections of the still ones that the system holds: ${suffered.held}`)
  console.log(
    `  ${suffered.bought} purchases succeeded, the slowest in ${suffered.slowestPurchaseMs} ms; failed: ${suffered.refused.join(', ') || 'none'}`,
  )
  console.log(`  memory +${suffered.grownMb} MB; the system held ${suffered.socketsMb} MB for connections`)
  return isUnhurtBy(stillness, suffered) && suffered.latestMs < latestMsMax
}
