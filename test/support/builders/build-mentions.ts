import { type Mentioned, type PriceAnswered, tooOld } from '../../../schemas/calls/facts.ts'
import { testStartAtMs } from './build-facts.ts'

/** Builds a call (a post that names a token) in a public channel. The post was read 1 s after it appeared. */
export function buildMention(fields: Partial<Mentioned> = {}): Readonly<{ type: 'Mentioned'; data: Mentioned }> {
  const postedAtMs = fields.postedAtMs ?? testStartAtMs
  const seenAtMs = fields.seenAtMs ?? postedAtMs + 1000
  return {
    type: 'Mentioned',
    data: {
      chat: '100',
      post: 1,
      chatName: 'alpha',
      poster: '100',
      kind: 'call',
      isEditedIn: false,
      isLate: false,
      tokenCount: 1,
      source: 'text',
      originChat: null,
      originAtMs: null,
      isTracked: true,
      parserVersion: 1,
      answeredAtMs: seenAtMs,
      postedAtMs,
      seenAtMs,
      hasCode: null,
      isFollowed: true,
      ...fields,
    },
  }
}

/** The answer failed if `px` is null. */
export function buildPriceAnswer(
  questionId: string,
  px: number | null,
  {
    source = 'pool',
    failure = 'no price aggregator is configured (PRICE_AGGREGATOR_URL)',
    change1h = null,
  }: Readonly<{ source?: 'curve' | 'pool' | 'aggregator'; failure?: string; change1h?: number | null }> = {},
): Readonly<{ type: 'PriceAnswered'; data: PriceAnswered }> {
  const price = px === null ? null : { px, source, mcapUsd: source === 'aggregator' ? 5000 : null, change1h }
  const isWithoutPrice = price === null && failure !== tooOld
  const told = { price, failure: price === null ? failure : null, isWithoutPrice }
  const data = { questionId, revision: 0, ...told, answeredAtMs: testStartAtMs }
  return { type: 'PriceAnswered', data }
}
