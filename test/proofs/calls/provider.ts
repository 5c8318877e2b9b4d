/**
 * Whoever tells prices, as real ones are: now and then nobody answers for some minutes, and most tokens have no price for one to
 * four hours again and again. A pure function of the token and the instant.
 */
import { createHash } from 'node:crypto'
import { OperationError } from '../../../infra/errors.ts'
import type { Lookup } from '../../../ingest/lookups/lookup.ts'
import { noPrice } from '../../../ingest/prices/price-source.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Not a part of an hour or a day, so that posts and samples of all ages meet it. */
const silentEveryMs = 11 * hourMs + 13 * minuteMs
const silentMs = 25 * minuteMs
const isSilentAt = (atMs: number): boolean => atMs % silentEveryMs < silentMs

/** The provider loses six of eight tokens again and again: too short for death, one sample too short, and long enough. */
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

/** The same lookups, with such a provider behind those of prices. */
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
