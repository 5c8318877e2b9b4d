/** Builds the events about calls that the service streams to clients, from the records of one chain. */

import { callAtRecord } from '../../../projections/calls/queries/call-rows.ts'
import type { Call } from '../../../schemas/calls/derived.ts'
import type { Stage } from '../../../schemas/stage.ts'
import type { StreamedRows } from '../../stream-part.ts'
import { callIdOf } from './identifiers.ts'
import { liveCall } from './live-call.ts'

const isNew = ({ data }: Readonly<{ data: object }>): boolean => (data as Call).isFirst

export const streamedCalls = (
  { chainName, callerIdSecret }: Readonly<{ chainName: string; callerIdSecret: string }>,
  { stage, idLetter }: Readonly<{ stage: Stage; idLetter: string }>,
): StreamedRows & Readonly<{ event: 'call'; schema: typeof liveCall.schema }> => ({
  recordType: 'Call',
  event: 'call',
  description: `A token of chain ${idLetter.toUpperCase()} is named in a followed chat, for the first time in 48 hours.`,
  schema: liveCall.schema,
  idOf: (token, { atMs }) => callIdOf({ idLetter }, token, atMs),
  isNews: isNew,
  rowOf: ({ key, record, supersedesAtMs, coinUsd, ...stamp }) => {
    const context = { topic: stage.derivedTopic.name, logKey: key, supersedesAtMs }
    const row = callAtRecord(record.data as Call, { context, stamp, chain: stage.name, coinUsd })
    return liveCall.present(row, {
      callerIdSecret,
      chainOf: () => ({ wireName: chainName, idLetter }),
      atMs: stamp.knownAtMs,
    })
  },
})
