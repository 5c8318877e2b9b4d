/** A simulated chain A, source, senders and price alike: seeded, stateless, the same for whoever looks. */
import { setImmediate, setTimeout } from 'node:timers/promises'
import { OperationError } from '../../../infra/errors.ts'
import type {
  BlockHeader,
  ChainSource,
  FactRange,
  KnownChain,
  OwnerReader,
  PriceReader,
  SenderReader,
  TokenFact,
} from '../../source.ts'
import { blockHashAt, blockNumberAt, branchHashAt, createWallets, secondOfBlock, senderOf } from './identities.ts'
import { type Label, labelsOf } from './labels.ts'
import { type MarketStart, tellMarket } from './market.ts'
import { createOwnerReader } from './owners.ts'
import { launchesPerDayDefault, type Market } from './plan.ts'
import { mix } from './random.ts'
import { type RevertPlan, retold, revertFrom } from './reverts.ts'

export type SimulatorOptions = Readonly<{
  seed: number
  nowMs(): number
  /** Resolves early, or rejects, when the signal aborts. */
  sleep?(delayMs: number, signal: AbortSignal): Promise<unknown>
  /** From 500 on, a new burst fires in every 5 minutes; fewer launches leave longer gaps. */
  launchesPerDay?: number
  /** Seconds of the past told in one range. */
  rangeSec?: number
  /** For benchmarks: this span (whole seconds, half-open), as fast as it is asked for, and then the end. */
  span?: Readonly<{ fromMs: number; toMs: number }>
  /** For tests: the chain leaves its branch now and then. Left out: never. */
  reverts?: RevertPlan
}>

export type Simulator = Readonly<{
  source: ChainSource
  readSenders: SenderReader
  readOwners: OwnerReader
  readPrice: PriceReader
  /** What was meant to happen in `[fromMs, toMs)`; no part of the facts. */
  labelsOf(fromMs: number, toMs: number): readonly Label[]
}>

const dayMs = 86_400_000
/** A clock that was set back is looked at again after this long; a timer of many days would fire at once. */
const waitMsMost = 60_000

/** One block a second. Deterministic for one version of Node: the sizes go through its logarithms. */
export function createSimulator(options: SimulatorOptions): Simulator {
  const { seed, nowMs } = options
  const market = { seed, launchesPerDay: options.launchesPerDay ?? launchesPerDayDefault }
  return {
    source: {
      kind: 'simulated',
      ranges: (cursor, { book }, signal) => tellRanges(market, options, { cursor, book, signal }),
    },
    readSenders: async (txHashes) =>
      new Map(
        txHashes.flatMap((txHash) => {
          const sender = senderOf(seed, txHash)
          return sender === null ? [] : [[txHash, sender] as const]
        }),
      ),
    readOwners: createOwnerReader(market, { seed, walletAt: createWallets(seed) }),
    readPrice: async () => simulatedEthUsd(seed, nowMs()),
    labelsOf: (fromMs, toMs) => labelsOf(market, fromMs, toMs),
  }
}

type Asked = Readonly<{
  cursor: BlockHeader | null
  book: KnownChain['book']
  signal: AbortSignal
}>

async function* tellRanges(market: Market, options: SimulatorOptions, asked: Asked): AsyncGenerator<FactRange> {
  const { nowMs, sleep = sleepOnTimer, rangeSec = 120, span, reverts } = options
  const { cursor, book, signal } = asked
  if (cursor !== null) assertOurBlock(market.seed, cursor)
  const startMs = span?.fromMs ?? nowMs() - dayMs
  let fromSec = cursor === null ? firstSecond(startMs, reverts) : secondOfBlock(cursor.number) + 1
  const recentSec = cursor === null ? fromSec : fromSec - (reverts?.depthMax ?? 0)
  const telling = startTelling(market, reverts, { fromSec: recentSec, newFromSec: fromSec, book })
  telling.tell(fromSec - 1)
  if (cursor !== null) yield* telling.revertAfter(cursor)
  while (!signal.aborted) {
    const lastSec = span === undefined ? Math.floor(nowMs() / 1000) : Math.ceil(span.toMs / 1000) - 1
    if (fromSec <= lastSec) {
      const toSec = Math.min(lastSec, fromSec + rangeSec - 1, telling.lastSecBeforeRevert(fromSec))
      const head = headerAt(market.seed, toSec)
      yield { fromBlock: blockNumberAt(fromSec), head, ...telling.tell(toSec) }
      yield* telling.revertAfter(head)
      fromSec = toSec + 1
      // The past comes without a wait; whoever else runs in this process gets a turn.
      await setImmediate()
    } else if (span === undefined) await sleep(Math.min(fromSec * 1000 - nowMs(), waitMsMost), signal)
    else return
  }
}

/** Not so shortly before a revert that it would go back to before the start. */
function firstSecond(startMs: number, reverts: RevertPlan | undefined): number {
  const second = Math.floor(startMs / 1000)
  if (!reverts) return second
  const next = revertFrom(reverts, second)
  return next.fromSec > second ? second : next.atSec + 1
}

/** The market from a second on, and what was told last, as long as a revert may reach it. */
function startTelling(market: Market, reverts: RevertPlan | undefined, start: MarketStart) {
  const depthMax = reverts?.depthMax ?? 0
  const tellOn = tellMarket(market, start)
  let recent: readonly TokenFact[] = []
  const tell = (toSec: number) => {
    const happened = tellOn(toSec)
    const since = (toSec - depthMax) * 1000
    if (reverts) recent = [...recent, ...happened.facts].filter(({ fact }) => fact.data.blockAtMs > since)
    return happened
  }
  return {
    tell,
    lastSecBeforeRevert: (second: number) => (reverts ? revertFrom(reverts, second).atSec : Number.POSITIVE_INFINITY),
    /** The range that replaces the last blocks up to this one, where it is that block's turn. */
    *revertAfter({ number, hash }: BlockHeader): Generator<FactRange> {
      const atSec = secondOfBlock(number)
      const revert = reverts && revertFrom(reverts, atSec)
      if (revert?.atSec !== atSec || hash !== blockHashAt(market.seed, atSec)) return
      const fromBlock = blockNumberAt(revert.fromSec)
      const dead = recent.filter(({ fact }) => fact.data.blockNumber >= fromBlock)
      const head = { number, hash: branchHashAt(market.seed, atSec), atMs: atSec * 1000 }
      yield { revertedFrom: fromBlock, fromBlock, head, facts: retold(market.seed, revert, dead), newAddresses: [] }
    },
  }
}

/** The cursor of another seed, or of a real chain, must not be continued. */
function assertOurBlock(seed: number, cursor: BlockHeader): void {
  const second = secondOfBlock(cursor.number)
  const expected = blockHashAt(seed, second)
  if (cursor.hash === expected || cursor.hash === branchHashAt(seed, second)) return
  throw new OperationError(
    'chain_mismatch',
    'the log was not written from this simulated chain; its seed may have changed',
    {
      context: { blockNumber: cursor.number, logHash: cursor.hash, simulatorHash: expected },
    },
  )
}

const headerAt = (seed: number, second: number): BlockHeader => ({
  number: blockNumberAt(second),
  hash: blockHashAt(seed, second),
  atMs: second * 1000,
})

/** An abort ends the wait; the caller sees it in the signal. */
async function sleepOnTimer(delayMs: number, signal: AbortSignal): Promise<void> {
  try {
    await setTimeout(delayMs, undefined, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** Waves of several lengths around 3,000 USD, given every ten seconds: smooth, seeded, and plainly nobody's market. */
function simulatedEthUsd(seed: number, nowMs: number): Readonly<{ usd: number; atMs: number }> {
  const feedMs = 10_000
  const atMs = Math.floor(nowMs / feedMs) * feedMs
  const waves = [
    { periodMs: 7 * dayMs, share: 0.06 },
    { periodMs: dayMs, share: 0.025 },
    { periodMs: dayMs / 9, share: 0.006 },
    { periodMs: dayMs / 150, share: 0.0012 },
  ]
  const swing = waves.reduce((sum, { periodMs, share }, index) => {
    const phase = (mix(seed, index, 9) / 2 ** 32 + atMs / periodMs) * 2 * Math.PI
    return sum + share * Math.sin(phase)
  }, 0)
  return { usd: Math.round(3000 * (1 + swing) * 100) / 100, atMs }
}
