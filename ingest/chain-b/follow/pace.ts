/**
 * The number of blocks to read next, and the number of failures in a row. The wait before the next attempt
 * grows with the failures.
 */
export type Pace = Readonly<{ blockCount: number; blockCountMax: number; failureCount: number }>

const waitMsFirst = 500
const waitMsMax = 15_000

export const startPace = (blockCountMax: number): Pace => ({
  blockCount: blockCountMax,
  blockCountMax,
  failureCount: 0,
})

export const afterRange = ({ blockCount, blockCountMax }: Pace): Pace => ({
  blockCount: Math.min(blockCountMax, blockCount * 2),
  blockCountMax,
  failureCount: 0,
})

/**
 * Halves the number of blocks of the next attempt, because after any error the failed range may have been too
 * large.
 */
export const afterFailure = ({ blockCount, blockCountMax, failureCount }: Pace): Pace => ({
  blockCount: Math.max(1, Math.floor(blockCount / 2)),
  blockCountMax,
  failureCount: failureCount + 1,
})

export const waitMsAfter = ({ failureCount }: Pace): number =>
  Math.min(waitMsMax, waitMsFirst * 2 ** Math.min(10, failureCount - 1))
