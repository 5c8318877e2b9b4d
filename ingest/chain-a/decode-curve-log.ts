/** Logs of launchpads: of the factory, and of curves that are known. What logs like a curve and is not known is a stranger. */
import type { CurveAddress } from '../../schemas/addresses.ts'
import type { Launchpad, LaunchpadEvent } from '../launchpads/launchpad.ts'
import { isCurveAlive, isSeenLongAgo } from '../lives.ts'
import type { FoundCurve } from './curve-reader.ts'
import type { DecodedLog, LogPosition } from './decoded-log.ts'
import type { RawLog } from './log-words.ts'
import type { Hex } from './presets.ts'
import type { RangeBook } from './range-book.ts'

export type CurveLogContext = Readonly<{
  launchpad: Launchpad
  position: LogPosition
  book: RangeBook
  /** What strangers turned out to be, by address. */
  found: ReadonlyMap<Hex, FoundCurve>
  isRefused(curve: Hex): boolean
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
  if (event.kind === 'launched') return context.isRefused(event.curve) ? ignored : launchOf(event, context)
  if (event.kind === 'graduated') return graduationOf(event, context)
  if (curve) return ofCurve(event, curve, context)
  return ofStranger(from, context)
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
    address: { type: 'CurveAddress', data: { ...common, token, sinceBlock, seenAtMs } },
  }
}

function graduationOf({ token, positionId }: EventOf<'graduated'>, { book, position }: CurveLogContext): DecodedLog {
  const address = book.curveOfToken(token)
  if (!address || position.blockNumber < address.sinceBlock) return ignored
  const data = { curve: address.curve, positionId, ...position }
  return { kind: 'fact', token, fact: { type: 'CurveGraduated', data }, address: null }
}

function ofCurve(
  event: EventOf<'traded' | 'completed'>,
  address: CurveAddress,
  { position }: CurveLogContext,
): DecodedLog {
  const { curve, token, sinceBlock, seenAtMs } = address
  // In what it was found with.
  if (position.blockNumber < sinceBlock) return ignored
  const { blockAtMs } = position
  return {
    kind: 'fact',
    token,
    fact: factOf(event, curve, position),
    address: isSeenLongAgo(seenAtMs, blockAtMs)
      ? { type: 'CurveAddress', data: { ...address, seenAtMs: blockAtMs } }
      : null,
  }
}

function factOf(event: EventOf<'traded' | 'completed'>, curve: Hex, position: LogPosition) {
  if (event.kind === 'completed') return { type: 'CurveCompleted', data: { curve, ...position } } as const
  const { trader, ethWei, tokenRaw, feeWei, taxWei } = event
  return { type: 'CurveTraded', data: { curve, trader, ethWei, tokenRaw, feeWei, taxWei, ...position } } as const
}

/**
 * The first log of a curve that was looked up: the fact that it was found takes that log's place, and what else the curve
 * did in the block is in the reserve that it was found with.
 */
function ofStranger(curve: Hex, { launchpad, position, found, isRefused }: CurveLogContext): DecodedLog {
  const those = found.get(curve)
  const { blockNumber, blockHash, blockAtMs: seenAtMs } = position
  if (!those) return isRefused(curve) ? ignored : { kind: 'stranger', curve, launchpad, blockNumber, blockHash }
  const { token, data } = those
  return {
    kind: 'fact',
    token,
    fact: { type: 'CurveFound', data: { ...data, ...position } },
    address: {
      type: 'CurveAddress',
      data: { curve, token, launchpad: launchpad.name, sinceBlock: blockNumber + 1, seenAtMs },
    },
  }
}
