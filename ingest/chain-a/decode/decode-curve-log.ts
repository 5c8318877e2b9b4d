/**
 * Decodes the EVM logs of launchpads: logs of their factory and logs of known curves. An unknown address that
 * emits logs like a curve is called unknown, and is looked up. A known curve is looked up again when it is
 * traded some days after its launch or its last lookup (see `isFindDue`). The lookup publishes a
 * `CurveFound`. Retention removes old facts, so a program that begins at the oldest remaining fact needs a
 * recent `CurveFound`.
 */
import type { CurveAddress } from '../../../schemas/chain-a/addresses.ts'
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import type { ChainPlace } from '../../../schemas/chain-place.ts'
import type { Address, Hex } from '../../../schemas/units.ts'
import type { Launchpad, LaunchpadEvent } from '../launchpads/launchpad.ts'
import { isCurveAlive, isFindDue } from '../lives.ts'
import type { DecodedLog } from './decoded-log.ts'
import type { RawLog } from './log-words.ts'
import type { RangeAddresses } from './range-addresses.ts'
import type { FoundCurve, RefusedAs, SoughtCurve } from './sought-curve.ts'

export type CurveLogContext = Readonly<{
  launchpad: Launchpad
  place: ChainPlace
  book: RangeAddresses
  /** The results of lookups at the node, by curve address. */
  found: ReadonlyMap<Address, FoundCurve>
  isRefused(curve: Address, as: RefusedAs): boolean
}>

const ignored: DecodedLog = { kind: 'ignored' }

export function decodeCurveLog(log: RawLog, context: CurveLogContext): DecodedLog {
  const { launchpad, book } = context
  const from = log.address.toLowerCase() as Address
  const isOfFactory = launchpad.factoryTopics.includes(log.topics[0] as Hex)
  const known = isOfFactory ? undefined : book.curveOf(from)
  const curve = known && isCurveAlive(known.seenAtMs, context.place.blockAtMs) ? known : undefined
  const event = launchpad.decode(log)
  if (event === 'ignored') return ignored
  if (event === 'malformed')
    // Any contract can emit any data under a topic. So a malformed log is rejected only if its address is known.
    return isOfFactory || curve ? { kind: 'rejected', reason: `malformed log of ${launchpad.name}` } : ignored
  if (event.kind === 'launched') return context.isRefused(event.curve, 'launch') ? ignored : launchOf(event, context)
  if (event.kind === 'graduated') return graduationOf(event, context)
  if (curve) return ofCurve(event, curve, context)
  return ofUnknown(event, from, context)
}

type EventOf<Kind> = Extract<LaunchpadEvent, { kind: Kind }>

/**
 * The EVM log lacks some terms of the launch, such as the token's supply. `withTerms` reads them from the
 * node later.
 */
function launchOf(event: EventOf<'launched'>, { launchpad, place }: CurveLogContext): DecodedLog {
  const { curve, token, creator, graduationWei } = event
  const { blockNumber: sinceBlock, blockAtMs: seenAtMs } = place
  const common = { curve, launchpad: launchpad.name }
  const terms = { symbol: null, graduationWei, phantomWei: 0n, supplyRaw: 0n }
  return {
    kind: 'fact',
    token,
    fact: { type: 'CurveLaunched', data: { ...common, creator, ...terms, ...place } },
    address: {
      type: 'CurveAddress',
      data: { ...common, token, sinceBlock, seenAtMs, launchBlock: sinceBlock, launchAtMs: seenAtMs },
    },
  }
}

function graduationOf({ token, positionId }: EventOf<'graduated'>, { book, place }: CurveLogContext): DecodedLog {
  const address = book.curveOfToken(token)
  if (!address || place.blockNumber < address.sinceBlock) return ignored
  const data = { curve: address.curve, positionId, ...place }
  return { kind: 'fact', token, fact: { type: 'CurveGraduated', data }, address: null }
}

type CurveEvent = EventOf<'traded' | 'completed'>

function ofCurve(event: CurveEvent, address: CurveAddress, context: CurveLogContext): DecodedLog {
  const { curve, token, sinceBlock, seenAtMs, launchBlock, launchAtMs } = address
  const { place, book } = context
  if (place.blockNumber < sinceBlock) return ignored
  // `CurveFound` has the reserve at the start of the block. So it must come before the curve's first log of
  // the block.
  const isFirstOfBlock = book.decodedBlockOf(curve) !== place.blockNumber
  book.decoded(curve, place.blockNumber)
  const decoded = { kind: 'fact', token, fact: factOf(event, curve, place), address: null } as const
  const isBuy = event.kind === 'traded' && event.ethWei > 0n
  if (!isFirstOfBlock || !isFindDue(seenAtMs, { blockAtMs: place.blockAtMs, isBuy })) return decoded
  const found = foundAt(curve, context)
  return {
    ...decoded,
    address: { type: 'CurveAddress', data: { ...address, seenAtMs: place.blockAtMs } },
    sought: soughtAt(curve, { launchBlock, launchAtMs }, context),
    ...(found && { found: foundFact(found, place) }),
  }
}

function factOf(event: CurveEvent, curve: Address, place: ChainPlace) {
  if (event.kind === 'completed') return { type: 'CurveCompleted', data: { curve, ...place } } as const
  const { trader, ethWei, tokenRaw, feeWei, taxWei } = event
  return { type: 'CurveTraded', data: { curve, trader, ethWei, tokenRaw, feeWei, taxWei, ...place } } as const
}

/**
 * Decodes a log of an unknown address that emits logs like a curve. Before the lookup, the result is the
 * address to look up. After the lookup, the result is a `CurveFound` and the fact of the log.
 */
function ofUnknown(event: CurveEvent, curve: Address, context: CurveLogContext): DecodedLog {
  const { launchpad, place, isRefused } = context
  const found = foundAt(curve, context)
  if (!found) return isRefused(curve, 'unknown') ? ignored : { kind: 'unknown', sought: soughtAt(curve, null, context) }
  const { token, data } = found
  const { blockNumber: sinceBlock, blockAtMs: seenAtMs } = place
  const { launchBlock, launchAtMs } = data
  return {
    kind: 'fact',
    token,
    found: foundFact(found, place),
    fact: factOf(event, curve, place),
    address: {
      type: 'CurveAddress',
      data: { curve, token, launchpad: launchpad.name, sinceBlock, seenAtMs, launchBlock, launchAtMs },
    },
  }
}

/**
 * The result of the curve's lookup for the block of this log. A result for another block does not count. A
 * range of more than a day may contain two lookups of the same curve.
 */
function foundAt(curve: Address, { found, place }: CurveLogContext): FoundCurve | undefined {
  const curveFound = found.get(curve)
  return curveFound?.blockNumber === place.blockNumber ? curveFound : undefined
}

const soughtAt = (
  curve: Address,
  launch: SoughtCurve['launch'],
  { launchpad, place }: CurveLogContext,
): SoughtCurve => {
  const { blockNumber, blockHash } = place
  return { curve, launchpad, blockNumber, blockHash, launch }
}

const foundFact = ({ data }: FoundCurve, place: ChainPlace): ChainAFact => ({
  type: 'CurveFound',
  data: { ...data, ...place },
})
