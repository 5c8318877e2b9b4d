/** Chain B's part of the address book: the mint of a curve or pool, and what ingest needs to read its trades. Topic `addresses`. */
import { type AvroValue, type EventOf, hex, nullable, recordOf } from '../avro.ts'

/** A mint on its curve, written again about once a day while it has trades, with a later `seenAtMs`. */
const mintAddress = recordOf('MintAddress', [
  { name: 'mint', type: hex },
  { name: 'curve', type: hex },
  { name: 'sinceSlot', type: 'long', doc: 'facts of it begin in this slot: it was launched there, or found first' },
  { name: 'seenAtMs', type: 'long', doc: 'block time of the fact that this record was written for' },
  { name: 'launchSlot', type: nullable('long'), doc: 'null: its launch is not in the log' },
  { name: 'launchAtMs', type: nullable('long') },
])

/** The canonical pool of a graduated mint, because its trades name only the pool. */
const graduatedPoolAddress = recordOf('GraduatedPoolAddress', [
  { name: 'pool', type: hex },
  { name: 'mint', type: hex },
  { name: 'quoteMint', type: nullable(hex), doc: 'null: SOL' },
  { name: 'migratedSlot', type: 'long' },
  { name: 'migratedAtMs', type: 'long' },
])

export const chainBAddressSchemas = {
  MintAddress: mintAddress,
  GraduatedPoolAddress: graduatedPoolAddress,
} as const

export type MintAddress = AvroValue<typeof mintAddress>
export type GraduatedPoolAddress = AvroValue<typeof graduatedPoolAddress>
export type ChainBAddress = EventOf<typeof chainBAddressSchemas>
