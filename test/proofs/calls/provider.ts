/**
 * A price provider with the faults of real ones. Sometimes it answers no request for 25 minutes. For most
 * tokens, it has no price for one to four hours, several times a day. The answer depends only on the token
 * and the time.
 */
import { createHash } from 'node:crypto'
import { OperationError } from '../../../infra/errors.ts'
import type { Lookup } from '../../../ingest/lookups/lookup.ts'
import { noPrice } from '../../../ingest/prices/price-source.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/**
 * The time between two silences does not divide an hour or a day. So a silence hits posts and samples of all
 * ages.
 */
const silentEveryMs = 11 * hourMs + 13 * minuteMs
const silentMs = 25 * minuteMs
const isSilentAt = (atMs: number): boolean => atMs % silentEveryMs < silentMs

/**
 * The times in which the provider has no price for a token. Each token gets one of these eight patterns. Some
 * losses are too short for a token to count as dead, some by only one sample. Others are long enough.
 */
const losses = [
  { forMs: hourMs, everyMs: 12 * hourMs },
  { forMs: 170 * minuteMs, everyMs: 5 * hourMs },
  { forMs: 170 * minuteMs, everyMs: 5 * hourMs },
  { forMs: 220 * minuteMs, everyMs: 5 * hourMs },
  { forMs: 220 * minuteMs, everyMs: 5 * hourMs },
  { forMs: 220 * minuteMs, everyMs: 12 * hourMs },
  { forMs: 0, everyMs: hourMs },
  { forMs: 0, everyMs: hourMs },
] as const
function isLostAt(token: string, atMs: number): boolean {
  const [first = 0, second = 0] = createHash('sha1').update(token).digest()
  const { forMs, everyMs } = losses[first % losses.length] ?? losses[0]
  return (atMs + (second / 256) * everyMs) % everyMs < forMs
}

/** The lookups, with this provider for prices. */
export const withSuchProvider = (lookups: readonly Lookup[]): readonly Lookup[] =>
  lookups.map((lookup) =>
    lookup.questionType !== 'PriceAsked'
      ? lookup
      : {
          ...lookup,
          async find(asked, context) {
            const token = asked.questionId.slice(0, asked.questionId.lastIndexOf(':'))
            if (isSilentAt(asked.atMs)) throw new OperationError('provider_failed', 'nobody answers')
            if (isLostAt(token, asked.atMs)) throw noPrice('the provider lost the token')
            return lookup.find(asked, context)
          },
        },
  )
