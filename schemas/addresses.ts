/** The address book: which token a pool belongs to, and what ingest needs to read the pool's logs. Topic `addresses`. */
import { type AvroValue, enumOf, hex, nullable, recordOf } from './avro.ts'
import { dexes } from './chain-a/facts.ts'

export const poolAddress = recordOf('PoolAddress', [
  { name: 'pool', type: hex },
  { name: 'token', type: hex },
  { name: 'dex', type: enumOf('Dex', dexes) },
  { name: 'ethIsCurrency0', type: 'boolean' },
  { name: 'hooks', type: nullable(hex) },
  { name: 'createdBlock', type: 'long' },
  { name: 'createdAtMs', type: 'long' },
])

export const addressSchemas = { PoolAddress: poolAddress } as const

export type PoolAddress = AvroValue<typeof poolAddress>
