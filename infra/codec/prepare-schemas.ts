/**
 * Registers the schemas of all topics in the order of the topic table, so that every new log gives them the same ids.
 */
import type { TopicTable } from '../../schemas/topics.ts'
import { type SchemaRegistry, subjectOf } from './schema-codec.ts'

export async function prepareSchemas(registry: SchemaRegistry, topicTable: TopicTable): Promise<void> {
  for (const { name, schemas } of Object.values(topicTable))
    for (const schema of Object.values(schemas ?? {})) await registry.register(subjectOf(name, schema), schema)
}
