import { burstAtSignal } from '../../projections/chain-a/queries/bursts.ts'
import type { Burst, RowKey, Tier } from '../../schemas/chain-a/derived.ts'
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import { streamedCalls } from '../calls/resources/streamed-call.ts'
import type { StreamPart } from '../stream-part.ts'
import type { Presentation } from './dependencies.ts'
import { burstId, rhBurst } from './resources/burst.ts'

const topic = chainAStage.derivedTopic.name

export const createStreamPart = (presentation: Presentation) =>
  ({
    wireName: presentation.chainName,
    rows: [
      {
        recordType: 'Burst',
        event: 'burst' as const,
        description: 'A buyer burst of chain A, of any tier, as it fires.',
        schema: rhBurst.schema,
        idOf(_, key) {
          const { pool, tier, atMs } = key as RowKey & { tier: Tier }
          return burstId({ pool, tier, atMs })
        },
        rowOf: ({ key, record, supersedesAtMs, coinUsd: _, ...stamp }) =>
          rhBurst.present(
            burstAtSignal(record.data as Burst, { topic, logKey: key, supersedesAtMs }, stamp),
            presentation,
          ),
      },
      streamedCalls(presentation, { stage: chainAStage, idLetter: 'a' }),
    ],
  }) satisfies StreamPart
