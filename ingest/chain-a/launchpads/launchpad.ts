/** What ingest must know of a launchpad: launchpads differ in contracts, events and calls, and are alike in what they mean. */

import type { Hex } from '../../../schemas/units.ts'
import type { RawLog } from '../decode/log-words.ts'

export type Launchpad = Readonly<{
  /** In facts and in the address book; never changed. */
  name: string
  /** Logs launches and graduations. */
  factory: Hex
  factoryTopics: readonly Hex[]
  /** Curves are too many to name: their logs are asked for by topic alone, and only those of known curves count. */
  curveTopics: readonly Hex[]
  /** Pure. `ignored`: not about ETH; `malformed`: not in the shape of its topic. */
  decode(log: RawLog): LaunchpadEvent | 'ignored' | 'malformed'
  /** What a launch does not log. Null: the contracts do not answer as this launchpad's do. */
  readTerms(call: ContractCall, launch: CurveToken): Promise<CurveTerms | null>
  /** Asks the factory whether an address is one of its ETH curves; what the address itself says is not believed. Null: no. */
  identify(call: ContractCall, curve: Hex): Promise<CurveIdentity | null>
  /** ETH in the curve. Null: it is full and does not trade any more. */
  readReserveWei(call: ContractCall, curve: Hex): Promise<bigint | null>
}>

export type CurveToken = Readonly<{ curve: Hex; token: Hex }>
export type CurveTerms = Readonly<{ phantomWei: bigint; supplyRaw: bigint; symbol: string | null }>
export type CurveIdentity = CurveTerms &
  Readonly<{ token: Hex; creator: Hex | null; launchAtMs: number | null; graduationWei: bigint }>

/** Signs and units are those of the facts. Of a trade or a completion, the curve is the contract that logged it. */
export type LaunchpadEvent =
  | Readonly<{ kind: 'launched'; curve: Hex; token: Hex; creator: Hex; graduationWei: bigint }>
  | Readonly<{ kind: 'traded'; trader: Hex; ethWei: bigint; tokenRaw: bigint; feeWei: bigint; taxWei: bigint }>
  | Readonly<{ kind: 'completed' }>
  | Readonly<{ kind: 'graduated'; token: Hex; positionId: Hex | null }>

/** Calls a contract at the block that the caller was made for. Null: it reverted, or there is no contract. */
export type ContractCall = (to: Hex, data: Hex) => Promise<Hex | null>
