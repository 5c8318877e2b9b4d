/**
 * The entries of chain A in the address book. They give the token of an address, and the data that ingest
 * needs to read EVM logs of the address. Topic `addresses`.
 */
import { type AvroValue, type EventOf, enumOf, nullable, recordOf } from '../avro.ts'
import { address, block, epochMs, poolId, positionId } from '../flavors.ts'
import { dexes } from './facts.ts'

export const poolAddress = recordOf('PoolAddress', [
  { name: 'pool', type: poolId },
  { name: 'token', type: address },
  { name: 'dex', type: enumOf('Dex', dexes) },
  { name: 'ethIsCurrency0', type: 'boolean' },
  { name: 'hooks', type: nullable(address) },
  { name: 'createdBlock', type: block },
  { name: 'createdAtMs', type: epochMs },
])

/**
 * A position NFT of a pool (an NFT that owns liquidity). Ingest keeps this entry as long as it keeps the
 * entry of the pool.
 */
const positionAddress = recordOf('PositionAddress', [
  { name: 'positionId', type: positionId, doc: 'number of the NFT, 32 bytes' },
  { name: 'pool', type: poolId },
])

/**
 * A launchpad's bonding curve. While the curve has buys, ingest writes the entry again about one time per
 * day, with a later `seenAtMs`.
 */
const curveAddress = recordOf('CurveAddress', [
  { name: 'curve', type: address },
  { name: 'token', type: address },
  { name: 'launchpad', type: 'string' },
  {
    name: 'sinceBlock',
    type: block,
    doc: 'facts of it begin in this block: it was launched there, or found first',
  },
  { name: 'seenAtMs', type: epochMs, doc: 'block time of the log that this record was written for' },
  { name: 'launchBlock', type: nullable(block), default: null, doc: 'null: its launch is not in the log' },
  { name: 'launchAtMs', type: nullable(epochMs), default: null },
])

export const chainAAddressSchemas = {
  PoolAddress: poolAddress,
  PositionAddress: positionAddress,
  CurveAddress: curveAddress,
} as const

export type PoolAddress = AvroValue<typeof poolAddress>
export type CurveAddress = AvroValue<typeof curveAddress>
export type ChainAAddress = EventOf<typeof chainAAddressSchemas>
