/**
 * Defines a stage that shares nothing with the chains. Instead of tokens, the stage has accounts that receive
 * payments.
 */
import { type AvroValue, type EventOf, hex, integer, nullable, recordOf } from '../../../schemas/avro.ts'
import { chainBlocks, type Stage } from '../../../schemas/stage.ts'
import { tick } from '../../../schemas/tick.ts'
import { type Topic, type TopicTable, topics } from '../../../schemas/topics.ts'

const block = [
  { name: 'blockNumber', type: 'long' },
  { name: 'blockHash', type: hex },
  { name: 'blockAtMs', type: 'long' },
] as const

const opened = recordOf('Opened', [...block])
const paidIn = recordOf('PaidIn', [{ name: 'amount', type: integer }, ...block])
const rateAnswered = recordOf('RateAnswered', [
  { name: 'questionId', type: 'string' },
  { name: 'answeredAtMs', type: 'long' },
])

/** The sum of the payments so far, at the end of a block or when a timer fires. */
const balance = recordOf('Balance', [
  { name: 'asOfMs', type: 'long' },
  { name: 'amount', type: integer },
  { name: 'payments', type: 'int' },
])
const reminder = recordOf('Reminder', [
  { name: 'number', type: 'int' },
  { name: 'dueAtMs', type: 'long' },
])

const rowKey = [
  { name: 'recordType', type: 'string' },
  { name: 'number', type: nullable('int') },
  { name: 'atMs', type: 'long' },
] as const
const withdrawn = recordOf('Withdrawn', [...rowKey])
const restated = recordOf('Restated', [...rowKey, { name: 'supersedesAtMs', type: nullable('long') }])

const toyFactSchemas = { Opened: opened, PaidIn: paidIn, RateAnswered: rateAnswered, Tick: tick } as const
const toyDerivedSchemas = {
  Balance: balance,
  Reminder: reminder,
  Withdrawn: withdrawn,
  Restated: restated,
  Tick: tick,
} as const

type ToyRecord = EventOf<typeof toyFactSchemas>
type ToyDerived = Exclude<EventOf<typeof toyDerivedSchemas>, { type: 'Tick' | 'Withdrawn' | 'Restated' }>

export type ToyTypes = Readonly<{
  fact: Extract<ToyRecord, { type: 'Opened' | 'PaidIn' }>
  answer: Extract<ToyRecord, { type: 'RateAnswered' }>
  derived: ToyDerived
  key: AvroValue<typeof withdrawn>
}>

/** This number differs from the partition counts of all chains. */
const partitionCount = 3

const topicOf = (name: string, schemas: NonNullable<Topic['schemas']>): Topic => ({
  name,
  key: 'account name',
  schemas,
  writer: 'tests',
  partitionCount,
  retentionMs: 7 * 86_400_000,
  isCompacted: false,
  isExportable: false,
})

const factTopic = topicOf('toy-facts', toyFactSchemas)
const derivedTopic = topicOf('toy-derived', toyDerivedSchemas)

/** The topics of a log on which the toy stage runs. */
export const toyTopics: TopicTable = {
  [factTopic.name]: factTopic,
  [derivedTopic.name]: derivedTopic,
  snapshots: topics.snapshots,
}

export const toyStage: Stage<ToyTypes> = {
  name: 'toy',
  factTopic,
  derivedTopic,
  rulesVersion: 'toy-1',
  isAnswer: ({ type }) => type === 'RateAnswered',
  ...chainBlocks,
  rowKeyOf: ({ type, data }) =>
    type === 'Balance'
      ? { recordType: type, number: null, atMs: data.asOfMs }
      : { recordType: type, number: data.number, atMs: data.dueAtMs },
  rowNameOf: ({ number }) => `${number ?? ''}`,
  movableTypes: ['Reminder'],
}
