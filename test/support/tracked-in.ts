import type { Tracked } from '../../projections/tracked.ts'

/** The subjects of a list that a test can change. */
export const trackedIn = (list: () => readonly string[]): Tracked => ({
  mayHold: async (identifier) => list().includes(identifier),
  example: async () => list()[0] ?? null,
})
