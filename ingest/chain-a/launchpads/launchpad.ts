/**
 * The interface to a launchpad: its contracts, events and calls. Launchpads use different events, which are decoded to
 * the same `LaunchpadEvent`.
 */

import type { Address, EpochMs, Hex, PositionId, TokenRaw, Wei } from '../../../schemas/units.ts'
import type { RawLog } from '../decode/log-words.ts'

export type Launchpad = Readonly<{
  /** The launchpad's name, which must never change, because facts and the address book contain it. */
  name: string
  /** The contract that logs launches and graduations. */
  factory: Address
  factoryTopics: readonly Hex[]
  /**
   * The topics of the logs of curves. There are too many curves to list in a filter, so their logs are requested by topic alone.
   * `decodeCurveLog` finds out whether an unknown address is a curve.
   */
  curveTopics: readonly Hex[]
  /**
   * Decodes a log. This is a pure function. Returns `ignored` if the curve does not trade against ETH, or if
   * the topic is not of this launchpad. Returns `malformed` if the log does not fit its topic.
   */
  decode(log: RawLog): LaunchpadEvent | 'ignored' | 'malformed'
  /**
   * Reads the terms of a launch, such as the token's supply, which the log of the launch lacks. Null if the
   * contracts do not answer like those of this launchpad.
   */
  readTerms(call: ContractCall, launch: CurveToken): Promise<CurveTerms | null>
  /**
   * Reads the data of a curve that trades against ETH. The factory must confirm the curve, because the
   * curve's own answers cannot be trusted. Null if the address is no such curve.
   */
  identify(call: ContractCall, curve: Address): Promise<CurveIdentity | null>
  /** The ETH in the curve, in wei. Null if the curve is complete and no longer trades. */
  readReserveWei(call: ContractCall, curve: Address): Promise<bigint | null>
}>

export type CurveToken = Readonly<{ curve: Address; token: Address }>
export type CurveTerms = Readonly<{ phantomWei: Wei; supplyRaw: TokenRaw; symbol: string | null }>
export type CurveIdentity = CurveTerms &
  Readonly<{ token: Address; creator: Address | null; launchAtMs: EpochMs | null; graduationWei: Wei }>

/**
 * An event of a launchpad. Its amounts have the signs and units that the facts of the log have. Trades and
 * completions do not name their curve, because the curve itself logs them.
 */
export type LaunchpadEvent =
  | Readonly<{ kind: 'launched'; curve: Address; token: Address; creator: Address; graduationWei: Wei }>
  | Readonly<{ kind: 'traded'; trader: Address; ethWei: Wei; tokenRaw: TokenRaw; feeWei: Wei; taxWei: Wei }>
  | Readonly<{ kind: 'completed' }>
  | Readonly<{ kind: 'graduated'; token: Address; positionId: PositionId | null }>

/**
 * Calls a contract at the state of one block. Null if the call reverted or ran out of gas, or if there is no
 * contract.
 */
export type ContractCall = (to: Address, data: Hex) => Promise<Hex | null>
