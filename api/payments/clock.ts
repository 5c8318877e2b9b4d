/**
 * Compares this machine's clock with the payment chains, because nothing else in the service would notice a wrong
 * clock. If the clock is behind, every payment seems not valid yet. If the clock is ahead, payments seem expired.
 */

import type { Logger } from '../../infra/telemetry.ts'
import { type DurationMs, type EpochMs, minuteMs } from '../../schemas/units.ts'
import { aheadMsMax, behindMsMax, type PaymentNetwork } from './payment-network.ts'

const checkMs = minuteMs

export type ClockDifference = Readonly<{
  network: string
  /** The time of the newest block less this machine's time, in seconds. Above 0, the chain is ahead. */
  aheadSec: number
}>

export type PaymentClock = Readonly<{
  /** Reads the time of each chain, at most once a minute. Never throws. */
  run: () => Promise<void>
  /** The networks whose time differed too much from this machine's time at the last check. */
  differences: () => readonly ClockDifference[]
}>

type ClockDependencies = Readonly<{
  networks: readonly Pick<PaymentNetwork, 'network' | 'headAtMs'>[]
  nowMs: () => EpochMs
  logger: Pick<Logger, 'info' | 'warn'>
}>

export function createPaymentClock({ networks, nowMs, logger }: ClockDependencies): PaymentClock {
  const differences = new Map<string, ClockDifference>()
  let askedAtMs = Number.NEGATIVE_INFINITY
  const judge = (network: string, aheadMs: DurationMs) => {
    const wasWrong = differences.has(network)
    if (aheadMs <= aheadMsMax && aheadMs >= -behindMsMax) {
      differences.delete(network)
      if (wasWrong) logger.info({ network }, "this machine's clock and the payment chain agree again")
      return
    }
    const aheadSec = Math.round(aheadMs / 1000)
    differences.set(network, { network, aheadSec })
    if (!wasWrong) logger.warn({ network, aheadSec }, textOf(aheadSec))
  }
  const askOne = async ({ network, headAtMs }: ClockDependencies['networks'][number]) => {
    if (headAtMs === undefined) return
    // If the node does not answer, the result of the last check stays.
    const atMs = await headAtMs().catch(() => null)
    if (atMs !== null && Number.isSafeInteger(atMs)) judge(network, atMs - nowMs())
  }
  return {
    run: async () => {
      // `Math.abs` lets the check also run after this machine's clock was set back.
      if (Math.abs(nowMs() - askedAtMs) < checkMs) return
      askedAtMs = nowMs()
      await Promise.all(networks.map(askOne))
    },
    differences: () => [...differences.values()],
  }
}

const textOf = (aheadSec: number): string =>
  aheadSec > 0
    ? `the payment chain is ${aheadSec} s ahead of this machine's clock. Payments are refused as not valid yet. Set the clock, for example with NTP`
    : `the newest block of the payment chain is ${-aheadSec} s old by this machine's clock. If the clock is ahead, payments are refused as expired: set the clock, for example with NTP. If the node does not follow its chain, choose another node`
