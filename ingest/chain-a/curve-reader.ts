/** What only the node can say of curves: the terms of a launch, and whether a stranger that logs trades is a curve at all. */
import { isOperationError } from '../../infra/errors.ts'
import type { Logger } from '../../infra/telemetry.ts'
import type { CurveFound } from '../../schemas/chain-a/facts.ts'
import type { ContractCall, CurveIdentity, CurveTerms, CurveToken, Launchpad } from '../launchpads/launchpad.ts'
import { askMany } from './ask-many.ts'
import { callContract } from './call-contract.ts'
import type { Node } from './node.ts'
import type { Hex } from './presets.ts'
import { createStateGate } from './state-gate.ts'

/** An address with a curve's logs that the book does not know, and the block of the first of them. */
export type Stranger = Readonly<{ curve: Hex; launchpad: Launchpad; blockNumber: number; blockHash: Hex }>
/** As it stood at the end of this block. */
export type FoundCurve = Readonly<{
  token: Hex
  blockNumber: number
  data: Omit<CurveFound, 'blockNumber' | 'blockAtMs' | 'txIndex' | 'logIndex' | 'blockHash' | 'txHash'>
}>
type Launch = CurveToken & Readonly<{ launchpad: Launchpad; blockNumber: number; blockHash: Hex }>

export type CurveReader = Readonly<{
  /** The address is no curve that is followed, as far as could be found out. */
  isRefused(curve: Hex): boolean
  /** Those of the strangers that are curves and whose state the node has. */
  find(strangers: readonly Stranger[], signal: AbortSignal): Promise<ReadonlyMap<Hex, FoundCurve>>
  /** By curve. One without terms does not answer as its launchpad's curves do, and is refused from now on. */
  readTerms(launches: readonly Launch[], signal: AbortSignal): Promise<ReadonlyMap<Hex, CurveTerms>>
}>

const rememberedMax = 10_000
/** A hostile contract can make every call to it fail; a node does so only now and then. */
const failuresMax = 3

export function createCurveReader({ node, logger }: Readonly<{ node: Node; logger: Logger }>): CurveReader {
  const gate = createStateGate()
  const refused = new Map<Hex, true>()
  const identities = new Map<Hex, CurveIdentity>()
  const failures = new Map<Hex, number>()
  const callerAt = (block: Hex | 'latest', signal: AbortSignal): ContractCall => {
    return (to, data) => callContract(node, { to, data, block }, signal)
  }

  const identify = async ({ curve, launchpad }: Stranger, signal: AbortSignal): Promise<CurveIdentity | null> => {
    const known = identities.get(curve)
    if (known) return known
    const identity = await unlessRefused(() => launchpad.identify(callerAt('latest', signal), curve))
    const failureCount = (failures.get(curve) ?? 0) + 1
    if (identity) remember(identities, curve, identity)
    else if (identity === null || failureCount >= failuresMax) remember(refused, curve, true)
    else remember(failures, curve, failureCount)
    return identity ?? null
  }

  const findOne = async (stranger: Stranger, signal: AbortSignal): Promise<FoundCurve | null> => {
    const { curve, launchpad, blockNumber, blockHash } = stranger
    const identity = gate.isOpen(blockNumber) ? await identify(stranger, signal) : null
    if (!identity) return null
    const reserveWei = await unlessRefused(() => launchpad.readReserveWei(callerAt(blockHash, signal), curve))
    gate.answered(blockNumber, reserveWei !== undefined)
    if (reserveWei === undefined) return null
    identities.delete(curve)
    if (reserveWei === null) remember(refused, curve, true)
    if (reserveWei === null) return null
    logger.info({ curve, launchpad: launchpad.name, blockNumber }, 'a curve older than the log was found')
    return foundAs(stranger, identity, reserveWei)
  }

  const termsOf = async (launch: Launch, signal: AbortSignal): Promise<CurveTerms | null> => {
    const { launchpad, blockNumber, blockHash } = launch
    const isOpen = gate.isOpen(blockNumber)
    const then = isOpen
      ? await unlessRefused(() => launchpad.readTerms(callerAt(blockHash, signal), launch))
      : undefined
    if (isOpen) gate.answered(blockNumber, then !== undefined)
    // They never change: without that state, those of now are as good.
    return then === undefined ? await launchpad.readTerms(callerAt('latest', signal), launch) : then
  }

  return {
    isRefused: (curve) => refused.has(curve),
    async find(strangers, signal) {
      const found = await askMany(strangers, (stranger) => findOne(stranger, signal))
      return new Map(found.flatMap((curve) => (curve ? [[curve.data.curve, curve] as const] : [])))
    },
    async readTerms(launches, signal) {
      const found = await askMany(launches, (launch) => termsOf(launch, signal))
      const terms = new Map<Hex, CurveTerms>()
      for (const [index, { curve }] of launches.entries()) {
        const those = found[index]
        if (those) terms.set(curve, those)
        else remember(refused, curve, true)
      }
      return terms
    },
  }
}

const foundAs = (
  { curve, launchpad, blockNumber }: Stranger,
  { token, launchAtMs, creator, symbol, graduationWei, phantomWei, supplyRaw }: CurveIdentity,
  reserveWei: bigint,
): FoundCurve => ({
  token,
  blockNumber,
  data: {
    ...{ curve, launchpad: launchpad.name, creator, symbol, launchBlock: null, launchAtMs },
    ...{ graduationWei, phantomWei, supplyRaw, reserveWei },
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
