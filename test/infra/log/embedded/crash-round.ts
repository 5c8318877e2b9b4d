/**
 * The records that the crashing writer appends in one round. Rounds differ in size. So the leftovers of a
 * killed round can have more records than the next round.
 */
import type { NewRecord } from '../../../../infra/log/log.ts'

export const crashPartitions = [
  { topic: 'chain-a-facts', partition: 0 },
  { topic: 'chain-a-facts', partition: 3 },
  { topic: 'payments', partition: 0 },
] as const

export const roundSize = (round: number): number => 1 + ((round * 7) % 13)

export function roundRecords(round: number): NewRecord[] {
  return crashPartitions.flatMap(({ topic, partition }) =>
    Array.from({ length: roundSize(round) }, (_, part) => ({
      topic,
      partition,
      key: `${partition}`,
      value: Buffer.from(`${round}/${part} ${'x'.repeat((round % 5) * 4_000)}`),
    })),
  )
}
