import type { ChainAAddress } from '../../../schemas/chain-a/addresses.ts'
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import type { Hex } from '../../../schemas/units.ts'
import type { SoughtCurve } from '../follow/curve-reader.ts'

/**
 * What a log turned out to be. Ignored: well-formed or not, it is not of a tracked pool or curve. `found` is told before the
 * fact, at its place; `sought` is worth a look, after which the log is to be decoded again.
 */
export type DecodedLog =
  | Readonly<{
      kind: 'fact'
      fact: ChainAFact
      token: Hex
      address: ChainAAddress | null
      found?: ChainAFact
      sought?: SoughtCurve
    }>
  | Readonly<{ kind: 'stranger'; sought: SoughtCurve }>
  | Readonly<{ kind: 'ignored' }>
  | Readonly<{ kind: 'rejected'; reason: string }>

export type LogPosition = Readonly<{
  blockNumber: number
  blockAtMs: number
  txIndex: number
  logIndex: number
  blockHash: Hex
  txHash: Hex
}>
