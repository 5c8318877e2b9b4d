/**
 * Registers the schemas of all topics in the order of the topic table, so that every new log gives them the same ids.
 */
import type { TopicTable } from '../../schemas/topics.ts'
import { createSchemaCodec, type SchemaRegistry } from './schema-codec.ts'

export async function prepareSchemas(registry: SchemaRegistry, topicTable: TopicTable): Promise<void> {
  for (const topic of Object.values(topicTable)) if (topic.schemas !== null) await createSchemaCodec(topic, registry)
}
