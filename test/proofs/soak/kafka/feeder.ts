/**
 * Appends the steps of simulated facts to the log. Each step is appended only one time, even if the broker
 * stops during an append.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isOperationError } from '../../../../infra/errors.ts'
import type { Log, LogWriter } from '../../../../infra/log/log.ts'
import { readLastTick } from '../../../../infra/log/ticks.ts'
import type { IngestCodecs } from '../../../../ingest/codecs.ts'
import type { Stage } from '../../../../schemas/stage.ts'
import type { Step } from './undisturbed.ts'

export type Feeder = Readonly<{
  /** Appends the steps up to and including the tick with number `seq`. Waits `paceMs` between two steps. */
  feedTo(seq: number, paceMs: number): Promise<void>
  /** The number of the tick of the last appended step. */
  seq(): number
}>

type FeederParts = Readonly<{ log: Log; codecs: IngestCodecs; stage: Stage; steps: readonly Step[] }>

const retryPauseMs = 250

export function createFeeder({ log, codecs, stage, steps }: FeederParts): Feeder {
  const writerId = `ingest-${stage.name}`
  const topic = stage.factTopic.name
  let writer: LogWriter | null = null
  let lastSeq = 0

  const append = async ({ seq, records }: Step): Promise<void> => {
    writer ??= await log.openWriter(writerId)
    await writer.append(
      records.map(({ partition, key, record }) => ({
        topic,
        partition,
        key,
        value: codecs.facts.encode(record.type, record.data),
      })),
    )
    lastSeq = seq
  }
  /**
   * After a failure, it is unknown whether the last append succeeded. The log shows it only after a new
   * writer has ended the open transaction.
   */
  const findPlace = async (): Promise<void> => {
    writer = await log.openWriter(writerId)
    const tick = await readLastTick({ log, topic, partition: 0, codec: codecs.facts })
    lastSeq = tick?.seq ?? 0
  }
  const nextStep = () => steps.find(({ seq }) => seq > lastSeq)

  return {
    seq: () => lastSeq,
    async feedTo(seq, paceMs) {
      let isLost = false
      for (let step = nextStep(); step && step.seq <= seq; step = nextStep()) {
        try {
          if (isLost) await findPlace()
          else await append(step)
          isLost = false
          await sleep(paceMs)
        } catch (error) {
          if (!isOperationError(error, 'log_unavailable')) throw error
          isLost = true
          await sleep(retryPauseMs)
        }
      }
    },
  }
}
