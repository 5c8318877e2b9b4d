import { createSchemaCodec, type SchemaCodec, type SchemaRegistry } from '../infra/codec/schema-codec.ts'
import type { MarkRecord, Stage, StageRecord, StageTypes, TickRecord } from '../schemas/stage.ts'
import { topics } from '../schemas/topics.ts'

/** The codecs of the Kafka topics that the ingest of one chain reads and writes. */
export type IngestCodecs<Types extends StageTypes = StageTypes> = Readonly<{
  facts: SchemaCodec<Types['fact'] | Types['answer'] | TickRecord>
  derived: SchemaCodec<Types['derived'] | MarkRecord<Types['key']> | TickRecord>
  addresses: SchemaCodec<StageRecord>
}>

/**
 * Creates the codecs of a chain's stage. `addresses` must list the address record types of all chains that
 * share the Kafka log.
 */
export async function createIngestCodecs<Types extends StageTypes = StageTypes>(
  { factTopic, derivedTopic }: Stage<Types>,
  registry: SchemaRegistry,
  addresses = topics.addresses,
): Promise<IngestCodecs<Types>> {
  return {
    facts: await createSchemaCodec(factTopic, registry),
    derived: await createSchemaCodec(derivedTopic, registry),
    addresses: await createSchemaCodec(addresses, registry),
  }
}
