import { createSchemaCodec, type SchemaCodec, type SchemaRegistry } from '../infra/codec/schema-codec.ts'
import type { ChainAAddress } from '../schemas/chain-a/addresses.ts'
import type { ChainADerivedRecord } from '../schemas/chain-a/derived.ts'
import type { ChainARecord } from '../schemas/chain-a/facts.ts'
import { topics } from '../schemas/topics.ts'

/** The codecs of the topics that chain A ingest reads and writes. */
export type IngestCodecs = Readonly<{
  facts: SchemaCodec<ChainARecord>
  derived: SchemaCodec<ChainADerivedRecord>
  addresses: SchemaCodec<ChainAAddress>
}>

export async function createIngestCodecs(registry: SchemaRegistry): Promise<IngestCodecs> {
  return {
    facts: await createSchemaCodec<ChainARecord>(topics['chain-a-facts'], registry),
    derived: await createSchemaCodec<ChainADerivedRecord>(topics['chain-a-derived'], registry),
    addresses: await createSchemaCodec<ChainAAddress>(topics.addresses, registry),
  }
}
