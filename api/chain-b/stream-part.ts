import { burstAtSignal } from '../../projections/chain-b/queries/bursts.ts'
import { graduationAtCompletion } from '../../projections/chain-b/queries/graduations.ts'
import type { Burst, Graduation } from '../../schemas/chain-b/derived.ts'
import { chainBStage } from '../../schemas/chain-b/stage.ts'
import { streamedCalls } from '../calls/resources/streamed-call.ts'
import type { StreamPart } from '../stream-part.ts'
import type { Presentation } from './dependencies.ts'
import { solBurst } from './resources/burst.ts'
import { solGrad } from './resources/graduation.ts'
import { burstId, graduationId } from './resources/identifiers.ts'

const topic = chainBStage.derivedTopic.name

export const createStreamPart = (presentation: Presentation) =>
  ({
    wireName: presentation.chainName,
    rows: [
      {
        recordType: 'Burst',
        event: 'burst' as const,
        description: 'A burst of buying on a bonding curve of chain B, as it fires.',
        schema: solBurst.schema,
        idOf: (mint, { atMs }) => burstId(mint, atMs),
        rowOf: ({ key, record, supersedesAtMs, coinUsd: _, ...stamp }) =>
          solBurst.present(
            burstAtSignal(record.data as Burst, { topic, logKey: key, supersedesAtMs }, stamp),
            presentation,
          ),
      },
      {
        recordType: 'Graduation',
        event: 'graduation' as const,
        description: 'A bonding curve of chain B is complete. Its pool is still to come.',
        schema: solGrad.schema,
        idOf: (mint, { atMs }) => graduationId(mint, atMs),
        rowOf: ({ key, record, supersedesAtMs, coinUsd: _, ...stamp }) =>
          solGrad.present(
            graduationAtCompletion(record.data as Graduation, { topic, logKey: key, supersedesAtMs }, stamp),
          ),
      },
      streamedCalls(presentation, { stage: chainBStage, idLetter: 'b' }),
    ],
  }) satisfies StreamPart
