/**
 * The shared state of a soak's threads: the simulated instant, and the progress of each thread. It is a buffer of doubles.
 */
import { topics } from '../../../schemas/topics.ts'

/** The stage writes these values for each partition. */
const perPartition = { stageAtMs: 0, tokens: 1, timers: 2 } as const
const slotsPerPartition = Object.keys(perPartition).length
const slots = { nowMs: 0, projectedAtMs: 1, stageHeap: 2, stageBuffers: 3, projectHeap: 4, projectBuffers: 5 } as const
const first = Object.keys(slots).length

export const sharedClockBytes = 8 * (first + topics['chain-a-facts'].partitionCount * slotsPerPartition)

/**
 * Plain writes are enough here. Each slot has one writer, and a double is never half written on the platforms
 * in use. It does no harm if a reader sees a value late.
 */
export function openSharedClock(buffer: SharedArrayBuffer) {
  const values = new Float64Array(buffer)
  const column = (name: keyof typeof perPartition): number[] =>
    Array.from(
      { length: topics['chain-a-facts'].partitionCount },
      (_, partition) => values[first + partition * slotsPerPartition + perPartition[name]] ?? 0,
    )
  return {
    get: (name: keyof typeof slots): number => values[slots[name]] ?? 0,
    set(name: keyof typeof slots, value: number) {
      values[slots[name]] = value
    },
    column,
    setPartition(partition: number, state: Readonly<Record<keyof typeof perPartition, number>>) {
      for (const [name, at] of Object.entries(perPartition))
        values[first + partition * slotsPerPartition + at] = state[name as keyof typeof perPartition]
    },
  }
}

export type SharedClock = ReturnType<typeof openSharedClock>
