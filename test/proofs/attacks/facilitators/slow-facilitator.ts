/** A slow facilitator, with a service that gets only a part of the processor's time. */
import { setTimeout as sleep } from 'node:timers/promises'
import { bursts } from '../../../support/payments/paid-service.ts'
import { type OpenShop, openShop } from '../open-shop.ts'
import { startHostileFacilitator } from './hostile-facilitator.ts'

export type Slowness = Readonly<{
  seconds: number
  purchasesPerSec: number
  quotesPerSec: number
  /**
   * The largest delays of the facilitator, in milliseconds: for answers about a payment, and for the list of
   * supported payments.
   */
  paymentMsMax: number
  supportedMsMax: number
  /** The shop's share of the processor, from 0 to 1. */
  share: number
}>

export type Sales = Readonly<{
  /** The number of answers by status. */
  bought: Readonly<Record<string, number>>
  quoted: Readonly<Record<string, number>>
  p99Ms: number
}>

export async function sellSlowly(slowness: Slowness): Promise<Sales> {
  const { seconds, purchasesPerSec, quotesPerSec, share } = slowness
  const delay = { isOn: false }
  const facilitator = await startHostileFacilitator(
    () => false,
    async (path) => {
      const msMax = path === '/supported' ? slowness.supportedMsMax : slowness.paymentMsMax
      if (delay.isOn) await sleep(msMax * (0.5 + Math.random() / 2))
    },
  )
  const shop = await openShop({ facilitatorUrl: facilitator.url, rpcUrl: 'http://127.0.0.1:1' })
  const payments = await shop.sign(Math.ceil(seconds * purchasesPerSec))
  delay.isOn = true
  const slowed = slowDown(shop.pid, share)
  const waits: number[] = []
  const statusOf = async (asked: Promise<number>): Promise<string> => String(await asked.catch(() => 'no answer'))
  const buy = async (payment: string) => {
    const startedAtMs = performance.now()
    const { status } = await shop.buy(payment)
    waits.push(performance.now() - startedAtMs)
    return status
  }
  try {
    const quotes = Array.from({ length: Math.ceil(seconds * quotesPerSec) }, () => quote(shop))
    const [bought, quoted] = await Promise.all([
      paced(
        payments.map((payment) => () => statusOf(buy(payment))),
        purchasesPerSec,
      ),
      paced(
        quotes.map((ask) => () => statusOf(ask())),
        quotesPerSec,
      ),
    ])
    const sorted = waits.toSorted((left, right) => left - right)
    return { bought, quoted, p99Ms: Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0) }
  } finally {
    slowed.stop()
    await shop.stop()
    await facilitator.stop()
  }
}

const quote = (shop: OpenShop) => async (): Promise<number> => {
  const response = await fetch(`${shop.url}${bursts.resourcePath}`)
  await response.arrayBuffer()
  return response.status
}

/** Starts `perSec` calls a second, and counts their results. */
async function paced(calls: readonly (() => Promise<string>)[], perSec: number): Promise<Record<string, number>> {
  const ended: Promise<string>[] = []
  for (const call of calls) {
    ended.push(call())
    await sleep(1000 / perSec)
  }
  const counts: Record<string, number> = {}
  for (const end of await Promise.all(ended)) counts[end] = (counts[end] ?? 0) + 1
  return counts
}

const cycleMs = 200

/** Lets a process run for its share of each cycle, and stops the process for the rest of the cycle. */
function slowDown(pid: number, share: number): Readonly<{ stop: () => void }> {
  let isOver = false
  const cycle = async () => {
    while (!isOver) {
      process.kill(pid, 'SIGSTOP')
      await sleep(cycleMs * (1 - share))
      process.kill(pid, 'SIGCONT')
      await sleep(cycleMs * share)
    }
  }
  void cycle()
  return {
    stop: () => {
      isOver = true
      process.kill(pid, 'SIGCONT')
    },
  }
}

const counted = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([status, count]) => `${count} got ${status}`)
    .join(', ')

/** False: a request was refused. */
export async function attackBySlowFacilitator(): Promise<boolean> {
  let isUnhurt = true
  const calm = { seconds: 30, purchasesPerSec: 4, quotesPerSec: 4 }
  const late = { paymentMsMax: 8_000, supportedMsMax: 15_000, share: 0.1 }
  const inTime = { paymentMsMax: 100, supportedMsMax: 100 }
  for (const [name, slowness] of [
    ['in time, a whole processor', { ...calm, ...inTime, share: 1 }],
    ['in time, a tenth of a processor', { ...calm, ...inTime, share: 0.1 }],
    ['up to 8 s late, a tenth of a processor', { ...calm, ...late }],
    ['the same, 15 purchases a second', { ...calm, ...late, purchasesPerSec: 15 }],
  ] as const) {
    const { bought, quoted, p99Ms } = await sellSlowly(slowness)
    isUnhurt &&= Object.keys({ ...bought, ...quoted }).join() === '200,402'
    console.log(`${name}: of purchases ${counted(bought)}, p99 ${p99Ms} ms; of quotes ${counted(quoted)}`)
  }
  return isUnhurt
}
