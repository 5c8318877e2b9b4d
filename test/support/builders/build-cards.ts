import type { CardRead } from '../../../schemas/calls/facts.ts'
import { testStartAtMs } from './build-facts.ts'

type CardFact = Readonly<{ type: 'CardRead'; data: CardRead }>

/**
 * Builds the record of a bot's card (a chat post with data about a token) that has only the given fields. The
 * card was read 1 s after it was posted or last edited.
 */
export function buildCard(fields: Partial<CardRead> = {}): CardFact {
  const postedAtMs = fields.postedAtMs ?? testStartAtMs
  const seenAtMs = (fields.editedAtMs ?? postedAtMs) + 1000
  return {
    type: 'CardRead',
    data: {
      chat: '100',
      post: 1,
      editedAtMs: null,
      bot: 'rick',
      replyTo: null,
      top10Pct: null,
      topHolder1Pct: null,
      snipers: null,
      sniperPct: null,
      bundlers: null,
      bundlePct: null,
      devLeftPct: null,
      fresh1d: null,
      fresh7d: null,
      holders: null,
      sniperPctAtLaunch: null,
      bundlePctAtLaunch: null,
      mcapUsd: null,
      parserVersion: 1,
      answeredAtMs: seenAtMs,
      postedAtMs,
      seenAtMs,
      ...fields,
    },
  }
}
