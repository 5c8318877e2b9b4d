/**
 * Chain A's part of the address book: the token of an address, and what ingest needs to read its logs. Topic
 * `addresses`.
 */
import { type AvroValue, type EventOf, enumOf, hex, nullable, recordOf } from '../avro.ts'
import { dexes } from './facts.ts'

export const poolAddress = recordOf('PoolAddress', [
  { name: 'pool', type: hex },
  { name: 'token', type: hex },
  { name: 'dex', type: enumOf('Dex', dexes) },
  { name: 'ethIsCurrency0', type: 'boolean' },
  { name: 'hooks', type: nullable(hex) },
  { name: 'createdBlock', type: 'long' },
  { name: 'createdAtMs', type: 'long' },
])

/** A position NFT, kept as long as its pool. */
const positionAddress = recordOf('PositionAddress', [
  { name: 'positionId', type: hex, doc: 'number of the NFT, 32 bytes' },
  { name: 'pool', type: hex },
])

/** A launchpad's bonding curve, written again about once a day while it has buys, with a later `seenAtMs`. */
const curveAddress = recordOf('CurveAddress', [
  { name: 'curve', type: hex },
  { name: 'token', type: hex },
  { name: 'launchpad', type: 'string' },
  { name: 'sinceBlock', type: 'long', doc: 'facts of it begin in this block: it was launched there, or found first' },
  { name: 'seenAtMs', type: 'long', doc: 'block time of the log that this record was written for' },
  { name: 'launchBlock', type: nullable('long'), default: null, doc: 'null: its launch is not in the log' },
  { name: 'launchAtMs', type: nullable('long'), default: null },
])

export const chainAAddressSchemas = {
  PoolAddress: poolAddress,
  PositionAddress: positionAddress,
  CurveAddress: curveAddress,
} as const

export type PoolAddress = AvroValue<typeof poolAddress>
export type CurveAddress = AvroValue<typeof curveAddress>
export type ChainAAddress = EventOf<typeof chainAAddressSchemas>
