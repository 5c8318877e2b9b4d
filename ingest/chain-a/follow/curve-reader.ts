/** What only the node can say of curves: the terms of a launch, what is in one, and whether a stranger that logs trades is one at all. */
import { isOperationError, OperationError } from '../../../infra/errors.ts'
import type { Logger } from '../../../infra/telemetry.ts'
import type { CurveFound } from '../../../schemas/chain-a/facts.ts'
import type { Hex } from '../../../schemas/units.ts'
import type { ContractCall, CurveIdentity, CurveTerms, CurveToken, Launchpad } from '../launchpads/launchpad.ts'
import { askMany } from '../node/ask-many.ts'
import { callContract } from '../node/call-contract.ts'
import { readHeader } from '../node/headers.ts'
import type { Node } from '../node/node.ts'
import { createStateGate } from './state-gate.ts'

/** An address with a curve's logs, to be looked up as it stood before a block; `launch` null: the book does not know it. */
export type SoughtCurve = Readonly<{
  curve: Hex
  launchpad: Launchpad
  blockNumber: number
  blockHash: Hex
  launch: Pick<CurveFound, 'launchBlock' | 'launchAtMs'> | null
}>
/** As it stood before this block. */
export type FoundCurve = Readonly<{
  token: Hex
  blockNumber: number
  data: Omit<CurveFound, 'blockNumber' | 'blockAtMs' | 'txIndex' | 'logIndex' | 'blockHash' | 'txHash'>
}>
type Launch = CurveToken & Readonly<{ launchpad: Launchpad; blockNumber: number; blockHash: Hex }>

export type RefusedAs = 'stranger' | 'launch'

export type CurveReader = Readonly<{
  /** The address is no curve that is followed, as far as could be found out. Of a launch, its terms alone say so. */
  isRefused(curve: Hex, as: RefusedAs): boolean
  /** Those that are curves, not full and of a block before which the node has the state. */
  find(sought: readonly SoughtCurve[], signal: AbortSignal): Promise<ReadonlyMap<Hex, FoundCurve>>
  /** By curve. One without terms does not answer as its launchpad's curves do, and is refused from now on. */
  readTerms(launches: readonly Launch[], signal: AbortSignal): Promise<ReadonlyMap<Hex, CurveTerms>>
}>

const rememberedMax = 10_000
/**
 * A hostile contract can make every call to it fail; a node does so only now and then. A launchpad's own contracts answer, as
 * soon as a node has the block.
 */
const failuresMax = { stranger: 3, launch: 20 } as const

export function createCurveReader({ node, logger }: Readonly<{ node: Node; logger: Logger }>): CurveReader {
  const gate = createStateGate()
  const refused = new Map<Hex, RefusedAs>()
  const identities = new Map<Hex, CurveIdentity>()
  const failures = new Map<Hex, number>()
  const callerAt = (block: Hex | 'latest', signal: AbortSignal): ContractCall => {
    return (to, data) => callContract(node, { to, data, block }, signal)
  }

  const identify = async ({ curve, launchpad, launch }: SoughtCurve, signal: AbortSignal) => {
    const known = identities.get(curve)
    if (known) return known
    const identity = await unlessRefused(() => launchpad.identify(callerAt('latest', signal), curve))
    if (identity) remember(identities, curve, identity)
    else if (launch === null && (identity === null || hasFailed(curve, 'stranger')))
      remember(refused, curve, 'stranger')
    return identity ?? null
  }

  /** Once more; true when that is often enough. */
  const hasFailed = (curve: Hex, as: RefusedAs): boolean => {
    const failureCount = (failures.get(curve) ?? 0) + 1
    remember(failures, curve, failureCount)
    return failureCount >= failuresMax[as]
  }

  /** Asked of the parent by its hash, so that another branch cannot answer. */
  const readReserveBefore = async ({ curve, launchpad, blockNumber, blockHash }: SoughtCurve, signal: AbortSignal) => {
    const header = await readHeader(node, blockNumber, signal)
    if (header?.hash !== blockHash)
      throw new OperationError('node_inconsistent', `block ${blockNumber} is another one than that of a curve's log`)
    return await launchpad.readReserveWei(callerAt(header.parentHash, signal), curve)
  }

  const findOne = async (sought: SoughtCurve, signal: AbortSignal): Promise<FoundCurve | null> => {
    const { curve, launchpad, blockNumber, launch } = sought
    const identity = gate.isOpen(blockNumber) ? await identify(sought, signal) : null
    if (!identity) return null
    const reserveWei = await unlessRefused(() => readReserveBefore(sought, signal))
    gate.answered(blockNumber, reserveWei !== undefined)
    // Null: full, or not there before the block, its launch being left out by the node: no reason to refuse it for good.
    if (reserveWei === undefined || reserveWei === null) return null
    identities.delete(curve)
    if (launch === null)
      logger.info({ curve, launchpad: launchpad.name, blockNumber }, 'a curve older than the log was found')
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
    // They never change: without that state, those of now are as good. But a node behind a balancer may not have come so far.
    const now = await launchpad.readTerms(callerAt('latest', signal), launch)
    if (now === null && !hasFailed(curve, 'launch'))
      throw new OperationError('node_inconsistent', `the node does not have curve ${curve} of block ${blockNumber}`)
    return now
  }

  return {
    isRefused: (curve, as) => (as === 'launch' ? refused.get(curve) === as : refused.has(curve)),
    async find(sought, signal) {
      const found = await askMany(sought, (each) => findOne(each, signal))
      return new Map(found.flatMap((curve) => (curve ? [[curve.data.curve, curve] as const] : [])))
    },
    async readTerms(launches, signal) {
      const found = await askMany(launches, (launch) => termsOf(launch, signal))
      const terms = new Map<Hex, CurveTerms>()
      for (const [index, { curve }] of launches.entries()) {
        const those = found[index]
        if (those) terms.set(curve, those)
        else remember(refused, curve, 'launch')
      }
      return terms
    },
  }
}

const foundAs = (
  { curve, launchpad, blockNumber, launch }: SoughtCurve,
  { token, launchAtMs, creator, symbol, graduationWei, phantomWei, supplyRaw }: CurveIdentity,
  reserveWei: bigint,
): FoundCurve => ({
  token,
  blockNumber,
  data: {
    ...{ curve, launchpad: launchpad.name, creator, symbol, graduationWei, phantomWei, supplyRaw, reserveWei },
    launchBlock: launch?.launchBlock ?? null,
    // The log's own: it is part of the name of what is derived of the curve.
    launchAtMs: launch?.launchAtMs ?? launchAtMs,
  },
})

/** Undefined: the node answered with an error that is not the contract's own. A node that is away still fails. */
async function unlessRefused<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (isOperationError(error, 'node_refused')) return undefined
    throw error
  }
}

/** The oldest makes room. */
function remember<Value>(memory: Map<Hex, Value>, curve: Hex, value: Value): void {
  memory.set(curve, value)
  const [oldest] = memory.keys()
  if (memory.size > rememberedMax && oldest) memory.delete(oldest)
}
