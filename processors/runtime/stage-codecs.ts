import { createSchemaCodec, type SchemaCodec, type SchemaRegistry } from '../../infra/codec/schema-codec.ts'
import type { MarkRecord, StageTypes, TickRecord } from '../../schemas/stage.ts'
import type { RunnableStage } from './runnable-stage.ts'

/** The records of a stage's fact topic. */
export type FactRecord<Types extends StageTypes> = Types['fact'] | Types['answer'] | TickRecord
/** The records of a stage's derived topic. */
export type DerivedRecord<Types extends StageTypes> = Types['derived'] | MarkRecord<Types['key']> | TickRecord

export type StageCodecs<Types extends StageTypes> = Readonly<{
  factCodec: SchemaCodec<FactRecord<Types>>
  derivedCodec: SchemaCodec<DerivedRecord<Types>>
}>

/**
 * Registers the schemas of both topics. If the stage has a view of a fact type, `factCodec.decodeAt` reads
 * such facts directly from the encoded bytes.
 */
export async function createStageCodecs<Types extends StageTypes>(
  { stage, views }: Pick<RunnableStage<Types>, 'stage' | 'views'>,
  registry: SchemaRegistry,
): Promise<StageCodecs<Types>> {
  return {
    factCodec: await createSchemaCodec(stage.factTopic, registry, views),
    derivedCodec: await createSchemaCodec(stage.derivedTopic, registry),
  }
}
