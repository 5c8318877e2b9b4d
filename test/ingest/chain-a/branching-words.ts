/** The parts of the simulated chain's transactions. */
import { createHash } from 'node:crypto'
import type { Hex } from '../../../schemas/units.ts'

export type Curve = Readonly<{ curve: Hex; token: Hex }>
export type Emitters = Readonly<{ poolManager: Hex; positionManager: Hex; ponsFactory: Hex }>
export type DeedLog = Readonly<{ address: Hex; topics: readonly Hex[]; data: Hex }>
export type Position = Readonly<{ pool: Hex; number: bigint }>
/** A transaction without its place on the chain. `born` is what the transaction creates. */
export type Deed = Readonly<{
  hash: Hex
  logs: readonly DeedLog[]
  born?:
    | Readonly<{ kind: 'pool'; pool: Hex }>
    | (Readonly<{ kind: 'position' }> & Position)
    | (Readonly<{ kind: 'curve' }> & Curve)
}>

/** The pools, positions and curves that exist on the branch. The transactions of a block add to these lists. */
export type Market = Readonly<{
  emitters: Emitters
  pools: Hex[]
  positions: Position[]
  curves: Curve[]
  nextHash: () => Hex
}>

export const word = (value: bigint | number): string =>
  BigInt.asUintN(256, BigInt(value)).toString(16).padStart(64, '0')
export const digest = (...parts: readonly unknown[]): Hex =>
  `0x${createHash('sha256').update(parts.join()).digest('hex')}`
export const addressOf = (...parts: readonly unknown[]): Hex => `0x${digest(...parts).slice(26)}`
export const topicOf = (address: Hex): Hex => `0x${address.slice(2).padStart(64, '0')}`
export const dataOf = (words: readonly (bigint | number)[]): Hex => `0x${words.map(word).join('')}`
