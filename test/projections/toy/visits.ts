/**
 * The records of a toy stage for tests: visits to places. The blocks of the stage are posts, and the stage
 * has no coin price.
 */
import { type AvroValue, integer, nullable, recordOf } from '../../../schemas/avro.ts'
import type { RowKey, Stage } from '../../../schemas/stage.ts'
import { tick } from '../../../schemas/tick.ts'
import { type Topic, type TopicTable, topics } from '../../../schemas/topics.ts'

const visit = recordOf('Visit', [
  { name: 'atMs', type: 'long' },
  { name: 'guests', type: nullable(integer), doc: 'null: nobody counted them' },
  { name: 'isOpen', type: 'boolean' },
])
/** No table shows this record. */
const closed = recordOf('Closed', [{ name: 'atMs', type: 'long' }])
const key = [
  { name: 'recordType', type: 'string' },
  { name: 'atMs', type: 'long' },
] as const
const withdrawn = recordOf('Withdrawn', key)
const restated = recordOf('Restated', [...key, { name: 'supersedesAtMs', type: nullable('long') }])

export type Visit = AvroValue<typeof visit>
export type ToyDerived =
  | Readonly<{ type: 'Visit'; data: Visit }>
  | Readonly<{ type: 'Closed'; data: AvroValue<typeof closed> }>

type ToyTypes = Readonly<{
  fact: Readonly<{ type: 'Post'; data: Readonly<{ number: number; atMs: number }> }>
  answer: never
  derived: ToyDerived
  key: RowKey
}>

const topicOf = (name: string, schemas: Topic['schemas']): Topic => ({
  name,
  key: 'place',
  schemas,
  writer: 'test',
  partitionCount: 2,
  retentionMs: null,
  isCompacted: false,
  isExportable: true,
})

const derivedTopic = topicOf('toy-derived', {
  Visit: visit,
  Closed: closed,
  Withdrawn: withdrawn,
  Restated: restated,
  Tick: tick,
})

export const toyTopics: TopicTable = { ...topics, [derivedTopic.name]: derivedTopic }

export const toyStage: Stage<ToyTypes> = {
  name: 'toy',
  factTopic: topicOf('toy-facts', {}),
  derivedTopic,
  rulesVersion: 't1',
  isAnswer: () => false,
  blockNumberOf: ({ data }) => data.number,
  blockOf: ({ data }) => ({ number: data.number, hash: '0x', atMs: data.atMs }),
  rowKeyOf: ({ type, data }) => ({ recordType: type, atMs: data.atMs }),
  rowNameOf: () => '',
  movableTypes: [],
}
