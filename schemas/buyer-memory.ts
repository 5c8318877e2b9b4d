/** How far back the buyer of a burst is remembered: 30 days before the signal. */
export const buyerMemoryMs = 30 * 24 * 3_600_000
