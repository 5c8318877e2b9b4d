/** The field `method` of the answers about graduations. It explains in words how the numbers are computed. */
import { z } from 'zod'
import { described } from '../../resource.ts'

export const gradMethod = {
  graduation:
    'One row per mint, at the end of the slot in which its bonding curve is complete: all tokens for sale are sold, or its liquidity went into the pool, whichever is seen first.',
  path: 'Fill of the curve (share of the tokens for sale that are sold) at whole minutes before the graduation as far as the curve is known, at most 60, and at the graduation.',
  burst: 'The newest burst of the mint with its signal before the graduation; sold at /v1/sol/bursts/history.',
  post: 'price / opening price - 1, without costs: the opening price is that of the reserves with which the pool opened, the price that after the last trade of the pool at or before 1, 5 and 15 minutes later; the opening price without a trade.',
} as const

export const gradMethodSchema = described(
  'now',
  z.strictObject({ graduation: z.string(), path: z.string(), burst: z.string(), post: z.string() }),
  'How the numbers are made, in words.',
)
