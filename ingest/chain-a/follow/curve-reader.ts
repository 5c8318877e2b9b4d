/**
 * Reads data about curves from the node that EVM logs lack: the terms of a launch, the reserve, and whether
 * an address is a curve.
 */
import { isOperationError, OperationError } from '../../../infra/errors.ts'
import type { Logger } from '../../../infra/telemetry.ts'
import { type Address, type BlockHash, type BlockNumber, type Hex, minuteMs, type Wei } from '../../../schemas/units.ts'
import type { FoundCurve, RefusedAs, SoughtCurve } from '../decode/sought-curve.ts'
import type { ContractCall, CurveIdentity, CurveTerms, CurveToken, Launchpad } from '../launchpads/launchpad.ts'
import { askMany } from '../node/ask-many.ts'
import { callContract } from '../node/call-contract.ts'
import { readHeader } from '../node/headers.ts'
import type { Node } from '../node/node.ts'

type Launch = CurveToken & Readonly<{ launchpad: Launchpad; blockNumber: BlockNumber; blockHash: BlockHash }>

export type CurveReader = Readonly<{
  /**
   * Whether a lookup found that the address is not a curve of a followed launchpad. For `unknown`, every
   * rejection counts, but a rejected launch only until its pause ends. Then the next trade of the curve causes a lookup.
   * For `launch`, only a rejected launch counts, because a rejected unknown address may be launched later.
   */
  isRefused(curve: Address, as: RefusedAs): boolean
  /**
   * Looks up addresses at the node. The result has an address if it is a curve that still trades and the node
   * has the state before the address's block. Other addresses are missing.
   */
  find(sought: readonly SoughtCurve[], signal: AbortSignal): Promise<ReadonlyMap<Address, FoundCurve>>
  /**
   * Returns the terms of the launches, such as the token's supply, by curve. If a curve does not answer like
   * other curves of its launchpad, it is missing in the result, and is rejected from now on.
   */
  readTerms(launches: readonly Launch[], signal: AbortSignal): Promise<ReadonlyMap<Address, CurveTerms>>
}>

const rememberedMax = 10_000
/**
 * The number of failed calls after which an address is rejected. A hostile contract can make every call to it fail. A node fails only
 * sometimes. A launch gets more tries, because its contracts answer as soon as the node has the block.
 */
const failuresMax = { unknown: 3, launch: 20 } as const

/**
 * A node that is behind the chain answers like one that lacks the curve. So a launch is not rejected forever. The pause
 * before the next lookup doubles each time, from a minute to about two hours. After these lookups, the rejection stays,
 * because a hostile contract can be traded all the time.
 */
const launchPauseMsFirst = minuteMs
const launchLooksMax = 8

const blockReplaced = (block: BlockNumber): OperationError =>
  new OperationError(
    'node_inconsistent',
    `the node replaced block ${block} after it sent an event of a curve in this block`,
  )

type ReaderOptions = Readonly<{
  node: Node
  logger: Logger
  /** A clock that is never set back, with any zero. */
  waitClockMs?: () => number
}>

export function createCurveReader(options: ReaderOptions): CurveReader {
  const { node, logger, waitClockMs = () => performance.now() } = options
  const gate = createStateGate()
  const refused = createRefusedCurves(waitClockMs)
  const identities = new Map<Address, CurveIdentity>()
  const failures = new Map<Address, number>()
  const callerAt = (block: Hex | 'latest', signal: AbortSignal): ContractCall => {
    return (to, data) => callContract(node, { to, data, block }, signal)
  }

  const identify = async ({ curve, launchpad, launch }: SoughtCurve, signal: AbortSignal) => {
    const known = identities.get(curve)
    if (known) return known
    const identity = await unlessRefused(() => launchpad.identify(callerAt('latest', signal), curve))
    if (identity) remember(identities, curve, identity)
    else if (launch === null && (identity === null || hasFailed(curve, 'unknown'))) refused.add(curve, 'unknown')
    return identity ?? null
  }

  /** Counts a failure of a curve. Returns true when the maximum is reached. */
  const hasFailed = (curve: Address, as: RefusedAs): boolean => {
    const failureCount = (failures.get(curve) ?? 0) + 1
    remember(failures, curve, failureCount)
    return failureCount >= failuresMax[as]
  }

  /**
   * Reads the curve's ETH reserve right before the block. The call names the parent block by its hash, so
   * that a node on another branch cannot answer.
   */
  const readReserveBefore = async ({ curve, launchpad, blockNumber, blockHash }: SoughtCurve, signal: AbortSignal) => {
    const header = await readHeader(node, blockNumber, signal)
    if (header?.hash !== blockHash) throw blockReplaced(blockNumber)
    return await launchpad.readReserveWei(callerAt(header.parentHash, signal), curve)
  }

  const findOne = async (sought: SoughtCurve, signal: AbortSignal): Promise<FoundCurve | null> => {
    const { curve, launchpad, blockNumber, launch } = sought
    const identity = gate.isOpen(blockNumber) ? await identify(sought, signal) : null
    if (!identity) return null
    const reserveWei = await unlessRefused(() => readReserveBefore(sought, signal))
    gate.answered(blockNumber, reserveWei !== undefined)
    // The reserve is null if the curve is complete, or if it did not exist before this block because the node
    // left the launch out of the logs. In both cases the curve is not rejected.
    if (reserveWei === undefined || reserveWei === null) return null
    identities.delete(curve)
    if (launch === null)
      logger.info({ curve, launchpad: launchpad.name, blockNumber }, 'found a curve whose launch is older than the log')
    return foundAs(sought, identity, reserveWei)
  }

  const termsOf = async (launch: Launch, signal: AbortSignal): Promise<CurveTerms | null> => {
    const { curve, launchpad, blockNumber, blockHash } = launch
    const isOpen = gate.isOpen(blockNumber)
    const then = isOpen
      ? await unlessRefused(() => launchpad.readTerms(callerAt(blockHash, signal), launch))
      : undefined
    if (isOpen) gate.answered(blockNumber, then !== undefined)
    if (then !== undefined) return then
    // The terms of a launch never change, so they are read at the latest block. The answer is null until the
    // node has the launch block.
    const now = await launchpad.readTerms(callerAt('latest', signal), launch)
    if (now === null && !hasFailed(curve, 'launch'))
      throw new OperationError('node_inconsistent', `the node does not have curve ${curve} of block ${blockNumber} yet`)
    return now
  }

  return {
    isRefused: refused.has,
    async find(sought, signal) {
      const found = await askMany(sought, (each) => findOne(each, signal))
      return new Map(found.flatMap((curve) => (curve ? [[curve.data.curve, curve] as const] : [])))
    },
    async readTerms(launches, signal) {
      const found = await askMany(launches, (launch) => termsOf(launch, signal))
      const terms = new Map<Address, CurveTerms>()
      for (const [index, { curve }] of launches.entries()) {
        const those = found[index]
        if (those) terms.set(curve, those)
        else refused.add(curve, 'launch')
      }
      return terms
    },
  }
}

const foundAs = (
  { curve, launchpad, blockNumber, launch }: SoughtCurve,
  { token, launchAtMs, creator, symbol, graduationWei, phantomWei, supplyRaw }: CurveIdentity,
  reserveWei: Wei,
): FoundCurve => ({
  token,
  blockNumber,
  data: {
    ...{ curve, launchpad: launchpad.name, creator, symbol, graduationWei, phantomWei, supplyRaw, reserveWei },
    launchBlock: launch?.launchBlock ?? null,
    // The launch time of the address book is preferred, because this time is part of the key of the curve's
    // derived rows.
    launchAtMs: launch?.launchAtMs ?? launchAtMs,
  },
})

/** Returns undefined if the node refused the call. Fails if the node is unreachable. */
async function unlessRefused<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (isOperationError(error, 'node_refused')) return undefined
    throw error
  }
}

/** Adds an entry. If there are too many entries, deletes the oldest one. */
function remember<Value>(memory: Map<Address, Value>, curve: Address, value: Value): void {
  memory.set(curve, value)
  const [oldest] = memory.keys()
  if (memory.size > rememberedMax && oldest) memory.delete(oldest)
}

type Refused = Readonly<{ as: RefusedAs; looks: number; untilMs: number }>

/** The rejected addresses. See `CurveReader.isRefused`. */
function createRefusedCurves(waitClockMs: () => number) {
  const all = new Map<Address, Refused>()
  return {
    /** Rejects an address. If its launch was rejected before, it stays a rejected launch, with a longer pause. */
    add(curve: Address, reason: RefusedAs): void {
      const before = all.get(curve)
      const as = before?.as === 'launch' ? 'launch' : reason
      const looks = before?.as === 'launch' ? before.looks : 0
      const isFinal = as === 'unknown' || looks >= launchLooksMax
      const untilMs = isFinal ? Number.POSITIVE_INFINITY : waitClockMs() + launchPauseMsFirst * 2 ** looks
      remember(all, curve, { as, looks: looks + 1, untilMs })
    },
    has(curve: Address, as: RefusedAs): boolean {
      const one = all.get(curve)
      if (one === undefined) return false
      return as === 'launch' ? one.as === as : waitClockMs() < one.untilMs
    },
  }
}

/** Decides whether to request the state at a block. Nodes keep only the state of recent blocks. */
type StateGate = Readonly<{
  isOpen(blockNumber: number): boolean
  answered(blockNumber: number, hadState: boolean): void
}>

const stepMax = 1024

/**
 * If the node does not give the state at a block, the gate is closed for a number of blocks. The number
 * doubles with each failure in a row. So a backfill does not make a failing request for each block.
 */
function createStateGate(): StateGate {
  let openFrom = 0
  let step = 1
  return {
    isOpen: (blockNumber) => blockNumber >= openFrom,
    answered(blockNumber, hadState) {
      if (!hadState) openFrom = Math.max(openFrom, blockNumber + step)
      step = hadState ? 1 : Math.min(stepMax, step * 2)
    },
  }
}
