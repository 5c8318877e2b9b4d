import { type Topic, topics } from '../../schemas/topics.ts'

/**
 * Describes all topics of the log as text. Each topic has a paragraph with its key, writer, partitions,
 * retention and records.
 */
export function describeTopics(): string {
  return Object.values(topics).map(describeTopic).join('\n\n')
}

function describeTopic(topic: Topic): string {
  const lines = [
    ['key', topic.key],
    ['writer', topic.writer],
    ['partitions', String(topic.partitionCount)],
    ['kept', keptFor(topic)],
    ['exportable', topic.isExportable ? 'yes' : 'no'],
    ['records', topic.schemas === null ? 'state snapshots (opaque)' : Object.keys(topic.schemas).join(', ')],
  ]
  return [topic.name, ...lines.map(([label, text]) => `  ${label?.padEnd(11)}${text}`)].join('\n')
}

function keptFor({ retentionMs, isCompacted }: Topic): string {
  if (isCompacted) return 'newest record of each key'
  return retentionMs === null ? 'for ever' : `${retentionMs / 86_400_000} days before the newest`
}
