/** Registers every schema of every topic in the order of the topic table, so that ids are the same in every fresh log. */
import { topics } from '../schemas/topics.ts'
import { createSchemaCodec, type SchemaRegistry } from './schema-codec.ts'

export async function prepareSchemas(registry: SchemaRegistry): Promise<void> {
  for (const { name, schemas } of Object.values(topics)) if (schemas !== null) await createSchemaCodec(name, registry)
}
