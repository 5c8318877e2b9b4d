/**
 * Finds missing trades after a curve's last recorded trade. Usually the next trade shows that trades are
 * missing. If there is no next trade, ingest reads the account of the curve and compares it with the last
 * trade.
 */

import { isOperationError } from '../../../infra/errors.ts'
import { limited } from '../../../infra/limited.ts'
import type { Logger } from '../../../infra/telemetry.ts'
import type { Reserves } from '../../../schemas/chain-b/curve.ts'
import type { Block } from '../../../schemas/stage.ts'
import { type BlockNumber, type EpochMs, minuteMs } from '../../../schemas/units.ts'
import { type Delay, delay as realDelay } from '../../delay.ts'
import { readCurveAccount } from '../decode/curve-account.ts'
import type { ChainBReader, NodeAccount } from '../node/reader.ts'
import type { ReserveChain } from '../reserves/reserve-chain.ts'
import type { MintFact } from '../types.ts'
import type { OpenGap } from './gap.ts'
import type { GapTracker } from './gap-tracker.ts'
import type { CurveOf } from './read-events.ts'

export type QuietOptions = Readonly<{
  accounts: ChainBReader['accounts']
  curveOf: CurveOf
  reserves: Readonly<{ chain(): Pick<ReserveChain, 'gapUpTo'> }>
  gapTracker: Pick<GapTracker, 'lastOf'>
  nowMs: () => EpochMs
  logger: Logger
  delay?: Delay
}>

export type QuietCurves = Readonly<{
  /** Processes the facts of a recorded range. `head` is the last block of the range. */
  note(facts: readonly MintFact[], head: Block): void
  /**
   * Returns the gaps that the accounts of curves show, up to the last slot that `note` received. Each gap is
   * returned only one time.
   */
  gaps(): readonly OpenGap[]
  /** Runs until the signal aborts. */
  run(signal: AbortSignal): Promise<void>
}>

/**
 * The time from the last trade to the first read of the account, in milliseconds. By then, trades that were
 * only delayed are recorded.
 */
const quietMs = 30_000
/**
 * The time from the last trade to the repeated read of the account, in milliseconds. The service's results
 * cover at most the hour after a trade. So this read shows every missing trade of that hour.
 */
const stillQuietMs = 61 * minuteMs
/**
 * The maximum age of the last recorded block, in milliseconds. If the block is older, no account is read,
 * because the accounts would contain trades that ingest has not reached yet.
 */
const behindMsMax = minuteMs
const everyMs = 1_000
const accountsAtOnce = 100
const limitMs = 10_000
/**
 * The maximum number of curves that wait for the read of their account. If more curves wait, the oldest ones
 * are dropped.
 */
const waitingMax = 20_000

type Reading = Readonly<{ key: string; slot: BlockNumber; reserves: Reserves }>

export function createQuietCurves(options: QuietOptions): QuietCurves {
  const { reserves, gapTracker, nowMs, logger, delay = realDelay } = options
  /**
   * The block time of each mint's last trade or launch, oldest first. A mint is in this map until the account
   * of its curve is read.
   */
  const tradedAtMs = new Map<string, number>()
  /**
   * The block time of each mint's last trade or launch. Contains the mints whose curve account has been read
   * one time since then, and will be read again.
   */
  const stillQuiet = new Map<string, number>()
  let readings: readonly Reading[] = []
  let head: Block | null = null

  const takeQuiet = (): readonly string[] => {
    const due: string[] = []
    if (head === null || nowMs() - head.atMs > behindMsMax) return due
    for (const [key, atMs] of stillQuiet) {
      if (head.atMs - atMs < stillQuietMs || due.length >= accountsAtOnce) break
      stillQuiet.delete(key)
      due.push(key)
    }
    for (const [key, atMs] of tradedAtMs) {
      if (head.atMs - atMs < quietMs || due.length >= accountsAtOnce) break
      tradedAtMs.delete(key)
      stillQuiet.set(key, atMs)
      due.push(key)
    }
    return due
  }

  const readAll = async (keys: readonly string[], signal: AbortSignal) => {
    const { found, failure } = await readReserves(keys, options, signal)
    readings = [...readings, ...found]
    if (failure === null || signal.aborted) return
    logger.debug(
      { reason: failure },
      'the accounts of curves without recent trades could not be read. Ingest tries again',
    )
    for (const key of keys) if (!tradedAtMs.has(key)) tradedAtMs.set(key, head?.atMs ?? 0)
  }

  return {
    note(facts, newHead) {
      head = newHead
      for (const { key, fact } of facts) {
        if (fact.type !== 'CurveTraded' && fact.type !== 'CurveLaunched') continue
        // The account of a curve in mayhem mode also changes without trades.
        if (fact.data.lateSlot !== null || fact.data.isMayhem) continue
        stillQuiet.delete(key)
        tradedAtMs.delete(key)
        tradedAtMs.set(key, fact.data.blockAtMs)
      }
      dropOldest(tradedAtMs)
      dropOldest(stillQuiet)
    },
    gaps() {
      const headSlot = head?.number ?? 0
      const ready = readings.filter(({ slot }) => slot <= headSlot)
      readings = readings.filter(({ slot }) => slot > headSlot)
      return ready.flatMap((reading) => gapIn(reading, reserves.chain(), gapTracker) ?? [])
    },
    async run(signal) {
      while (!signal.aborted) {
        const keys = takeQuiet()
        if (keys.length > 0) await readAll(keys, signal)
        await delay(everyMs, signal)
      }
    },
  }
}

function dropOldest(waiting: Map<string, number>): void {
  for (const key of waiting.keys()) {
    if (waiting.size <= waitingMax) break
    waiting.delete(key)
  }
}

async function readReserves(
  keys: readonly string[],
  { accounts, curveOf }: Pick<QuietOptions, 'accounts' | 'curveOf'>,
  signal: AbortSignal,
): Promise<Readonly<{ found: readonly Reading[]; failure: string | null }>> {
  const limit = limited([signal], limitMs)
  try {
    const curves = await Promise.all(keys.map(curveOf))
    const states = await accounts(curves, limit.signal)
    return { found: states.flatMap((account, index) => readingOf(keys[index] ?? '', account) ?? []), failure: null }
  } catch (error) {
    if (limit.signal.aborted) return { found: [], failure: 'no answer in time' }
    if (isOperationError(error)) return { found: [], failure: error.message }
    throw error
  } finally {
    limit.release()
  }
}

/**
 * Reads the reserves from an account. Returns null if the account was closed or emptied, which can happen
 * after the migration.
 */
function readingOf(key: string, account: NodeAccount | null): Reading | null {
  const state = account && readCurveAccount(account.bytes)
  if (!account || !state || state.virtualTokenRaw === 0n) return null
  return { key, slot: account.slot, reserves: { quoteRaw: state.virtualQuoteRaw, tokenRaw: state.virtualTokenRaw } }
}

/**
 * Returns the gap between the last recorded trade and the account. Returns null if nothing is missing. Also
 * returns null if a trade after the read of the account is recorded, because that trade shows the gap.
 */
function gapIn(
  { key, slot, reserves }: Reading,
  chain: Pick<ReserveChain, 'gapUpTo'>,
  gapTracker: QuietOptions['gapTracker'],
): OpenGap | null {
  const gap = chain.gapUpTo(key, reserves)
  const place = gapTracker.lastOf(key)
  if (gap === null || gap.lastSlot > slot || place === undefined) return null
  const from = {
    quoteRaw: reserves.quoteRaw - gap.missingQuoteRaw,
    tokenRaw: reserves.tokenRaw + gap.missingTokenRaw,
  }
  return { key, place, isFollowed: false, fromSlot: gap.lastSlot, toSlot: slot, from, to: reserves }
}
