/**
 * Logs of launchpads: of the factory, and of curves that are known. What logs like a curve and is not known is a stranger: it
 * is looked up. So is a known curve that is bought a day after it was told of: facts are not kept for ever, and whoever
 * begins with the oldest of them must learn of the curve too.
 */
import type { CurveAddress } from '../../../schemas/chain-a/addresses.ts'
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import type { Hex } from '../../../schemas/units.ts'
import type { FoundCurve, RefusedAs, SoughtCurve } from '../follow/curve-reader.ts'
import type { Launchpad, LaunchpadEvent } from '../launchpads/launchpad.ts'
import { isCurveAlive, isFindDue } from '../lives.ts'
import type { DecodedLog, LogPosition } from './decoded-log.ts'
import type { RawLog } from './log-words.ts'
import type { RangeBook } from './range-book.ts'

export type CurveLogContext = Readonly<{
  launchpad: Launchpad
  position: LogPosition
  book: RangeBook
  /** What was looked up, by address. */
  found: ReadonlyMap<Hex, FoundCurve>
  isRefused(curve: Hex, as: RefusedAs): boolean
}>

const ignored: DecodedLog = { kind: 'ignored' }

export function decodeCurveLog(log: RawLog, context: CurveLogContext): DecodedLog {
  const { launchpad, book } = context
  const from = log.address.toLowerCase() as Hex
  const isOfFactory = launchpad.factoryTopics.includes(log.topics[0] as Hex)
  const known = isOfFactory ? undefined : book.curveOf(from)
  const curve = known && isCurveAlive(known.seenAtMs, context.position.blockAtMs) ? known : undefined
  const event = launchpad.decode(log)
  if (event === 'ignored') return ignored
  if (event === 'malformed')
    // Anybody can log anything under a topic.
    return isOfFactory || curve ? { kind: 'rejected', reason: `malformed log of ${launchpad.name}` } : ignored
  if (event.kind === 'launched') return context.isRefused(event.curve, 'launch') ? ignored : launchOf(event, context)
  if (event.kind === 'graduated') return graduationOf(event, context)
  if (curve) return ofCurve(event, curve, context)
  return ofStranger(event, from, context)
}

type EventOf<Kind> = Extract<LaunchpadEvent, { kind: Kind }>

/** Its terms are not in the log. */
function launchOf(event: EventOf<'launched'>, { launchpad, position }: CurveLogContext): DecodedLog {
  const { curve, token, creator, graduationWei } = event
  const { blockNumber: sinceBlock, blockAtMs: seenAtMs } = position
  const common = { curve, launchpad: launchpad.name }
  const terms = { symbol: null, graduationWei, phantomWei: 0n, supplyRaw: 0n }
  return {
    kind: 'fact',
    token,
    fact: { type: 'CurveLaunched', data: { ...common, creator, ...terms, ...position } },
    address: {
      type: 'CurveAddress',
      data: { ...common, token, sinceBlock, seenAtMs, launchBlock: sinceBlock, launchAtMs: seenAtMs },
    },
  }
}

function graduationOf({ token, positionId }: EventOf<'graduated'>, { book, position }: CurveLogContext): DecodedLog {
  const address = book.curveOfToken(token)
  if (!address || position.blockNumber < address.sinceBlock) return ignored
  const data = { curve: address.curve, positionId, ...position }
  return { kind: 'fact', token, fact: { type: 'CurveGraduated', data }, address: null }
}

type CurveEvent = EventOf<'traded' | 'completed'>

function ofCurve(event: CurveEvent, address: CurveAddress, context: CurveLogContext): DecodedLog {
  const { curve, token, sinceBlock, seenAtMs, launchBlock, launchAtMs } = address
  const { position, book } = context
  if (position.blockNumber < sinceBlock) return ignored
  // What is said of the curve is what was in it before the block: a log of the block that was told already is not in that.
  const isFirstOfBlock = book.toldBlockOf(curve) !== position.blockNumber
  book.told(curve, position.blockNumber)
  const told = { kind: 'fact', token, fact: factOf(event, curve, position), address: null } as const
  const isBuy = event.kind === 'traded' && event.ethWei > 0n
  if (!isFirstOfBlock || !isFindDue(seenAtMs, { blockAtMs: position.blockAtMs, isBuy })) return told
  const those = foundAt(curve, context)
  return {
    ...told,
    address: { type: 'CurveAddress', data: { ...address, seenAtMs: position.blockAtMs } },
    sought: soughtAt(curve, { launchBlock, launchAtMs }, context),
    ...(those && { found: foundFact(those, position) }),
  }
}

function factOf(event: CurveEvent, curve: Hex, position: LogPosition) {
  if (event.kind === 'completed') return { type: 'CurveCompleted', data: { curve, ...position } } as const
  const { trader, ethWei, tokenRaw, feeWei, taxWei } = event
  return { type: 'CurveTraded', data: { curve, trader, ethWei, tokenRaw, feeWei, taxWei, ...position } } as const
}

/** Its first log after it was looked up is told behind the fact that it was found. */
function ofStranger(event: CurveEvent, curve: Hex, context: CurveLogContext): DecodedLog {
  const { launchpad, position, isRefused } = context
  const those = foundAt(curve, context)
  if (!those)
    return isRefused(curve, 'stranger') ? ignored : { kind: 'stranger', sought: soughtAt(curve, null, context) }
  const { token, data } = those
  const { blockNumber: sinceBlock, blockAtMs: seenAtMs } = position
  const { launchBlock, launchAtMs } = data
  return {
    kind: 'fact',
    token,
    found: foundFact(those, position),
    fact: factOf(event, curve, position),
    address: {
      type: 'CurveAddress',
      data: { curve, token, launchpad: launchpad.name, sinceBlock, seenAtMs, launchBlock, launchAtMs },
    },
  }
}

/** What was looked up for this block: a long range may come to a curve again a day later. */
function foundAt(curve: Hex, { found, position }: CurveLogContext): FoundCurve | undefined {
  const those = found.get(curve)
  return those?.blockNumber === position.blockNumber ? those : undefined
}

const soughtAt = (curve: Hex, launch: SoughtCurve['launch'], { launchpad, position }: CurveLogContext): SoughtCurve => {
  const { blockNumber, blockHash } = position
  return { curve, launchpad, blockNumber, blockHash, launch }
}

const foundFact = ({ data }: FoundCurve, position: LogPosition): ChainAFact => ({
  type: 'CurveFound',
  data: { ...data, ...position },
})
