/**
 * The entries of chain B in the address book. They give the mint of a curve or pool, and the data that ingest
 * needs to read the trades there. Topic `addresses`.
 */
import { type AvroValue, type EventOf, nullable, recordOf } from '../avro.ts'
import { address, block, epochMs } from '../flavors.ts'

/**
 * A mint on its curve. While the curve has trades, ingest writes the entry again at most every 6 hours, with
 * a later `seenAtMs`.
 */
const mintAddress = recordOf('MintAddress', [
  { name: 'mint', type: address },
  { name: 'curve', type: address },
  {
    name: 'sinceSlot',
    type: block,
    doc: 'facts of it begin in this slot: it was launched there, or found first',
  },
  { name: 'seenAtMs', type: epochMs, doc: 'block time of the fact that this record was written for' },
  { name: 'launchSlot', type: nullable(block), doc: 'null: its launch is not in the log' },
  { name: 'launchAtMs', type: nullable(epochMs) },
])

/** The canonical pool of a graduated mint. Ingest needs this entry because trades of a pool do not name the mint. */
const graduatedPoolAddress = recordOf('GraduatedPoolAddress', [
  { name: 'pool', type: address },
  { name: 'mint', type: address },
  { name: 'quoteMint', type: nullable(address), doc: 'null: SOL' },
  { name: 'migratedSlot', type: block },
  { name: 'migratedAtMs', type: epochMs },
])

export const chainBAddressSchemas = {
  MintAddress: mintAddress,
  GraduatedPoolAddress: graduatedPoolAddress,
} as const

export type MintAddress = AvroValue<typeof mintAddress>
export type GraduatedPoolAddress = AvroValue<typeof graduatedPoolAddress>
export type ChainBAddress = EventOf<typeof chainBAddressSchemas>
