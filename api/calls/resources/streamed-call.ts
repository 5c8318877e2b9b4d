/** Calls as they are pushed, from the records of their chain. */

import { callAtRecord } from '../../../projections/calls/queries/call-rows.ts'
import type { ChainOfCalls } from '../../../projections/calls/queries/calls-views.ts'
import type { Call } from '../../../schemas/calls/derived.ts'
import type { TopicName } from '../../../schemas/topics.ts'
import type { StreamedRows } from '../../stream-part.ts'
import { callIdOf } from './identifiers.ts'
import { liveCall } from './live-call.ts'

/** Whether the record is the first version of a call. */
const isNew = ({ data }: Readonly<{ data: object }>): boolean => (data as Call).isFirst

export const streamedCalls = (
  { chainName, callerIdSecret }: Readonly<{ chainName: string; callerIdSecret: string }>,
  { chain, topic }: Readonly<{ chain: ChainOfCalls; topic: TopicName }>,
): StreamedRows => ({
  recordType: 'Call',
  event: 'call',
  description: `A token of chain ${chain.slice(-1).toUpperCase()} is named in a followed chat, for the first time in 48 hours.`,
  schema: liveCall.schema,
  idOf: (token, { atMs }) => callIdOf(chain, token, atMs),
  isNews: isNew,
  rowOf: ({ key, record, supersedesAtMs, coinUsd, ...stamp }) => {
    const context = { topic, logKey: key, supersedesAtMs }
    const row = callAtRecord(record.data as Call, { context, stamp, chain, coinUsd })
    return liveCall.present(row, { callerIdSecret, wireNameOf: () => chainName, atMs: stamp.knownAtMs })
  },
})
