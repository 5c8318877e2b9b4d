/**
 * What ingest must know of a launchpad. Launchpads differ in contracts, events and calls, but their events have the
 * same meanings.
 */

import type { Address, EpochMs, Hex, PositionId, TokenRaw, Wei } from '../../../schemas/units.ts'
import type { RawLog } from '../decode/log-words.ts'

export type Launchpad = Readonly<{
  /** Stored in facts and in the address book, so it never changes. */
  name: string
  /** The contract that logs launches and graduations. */
  factory: Address
  factoryTopics: readonly Hex[]
  /** Curves are too many to list, so their logs are requested by topic alone, and only those of known curves count. */
  curveTopics: readonly Hex[]
  /** Pure. `ignored`: not about ETH. `malformed`: the log does not have the shape of its topic. */
  decode(log: RawLog): LaunchpadEvent | 'ignored' | 'malformed'
  /** The terms that a launch does not log. Null if the contracts do not answer like this launchpad's. */
  readTerms(call: ContractCall, launch: CurveToken): Promise<CurveTerms | null>
  /**
   * Asks the factory whether an address is one of its ETH curves, because the address itself cannot be trusted. Null if
   * it is not one.
   */
  identify(call: ContractCall, curve: Address): Promise<CurveIdentity | null>
  /** ETH in the curve. Null if the curve is complete and no longer trades. */
  readReserveWei(call: ContractCall, curve: Address): Promise<bigint | null>
}>

export type CurveToken = Readonly<{ curve: Address; token: Address }>
export type CurveTerms = Readonly<{ phantomWei: Wei; supplyRaw: TokenRaw; symbol: string | null }>
export type CurveIdentity = CurveTerms &
  Readonly<{ token: Address; creator: Address | null; launchAtMs: EpochMs | null; graduationWei: Wei }>

/** Signs and units are those of the facts. The curve of a trade or a completion is the contract that logged it. */
export type LaunchpadEvent =
  | Readonly<{ kind: 'launched'; curve: Address; token: Address; creator: Address; graduationWei: Wei }>
  | Readonly<{ kind: 'traded'; trader: Address; ethWei: Wei; tokenRaw: TokenRaw; feeWei: Wei; taxWei: Wei }>
  | Readonly<{ kind: 'completed' }>
  | Readonly<{ kind: 'graduated'; token: Address; positionId: PositionId | null }>

/** Calls a contract at a fixed block. Null if the call reverted or there is no contract. */
export type ContractCall = (to: Address, data: Hex) => Promise<Hex | null>
