import type { Mentioned } from '../../schemas/calls/facts.ts'
import { testStartAtMs } from './build-facts.ts'

/** A call in a public chat, had as it was posted. */
export const buildMention = (fields: Partial<Mentioned> = {}): Readonly<{ type: 'Mentioned'; data: Mentioned }> => {
  const postedAtMs = fields.postedAtMs ?? testStartAtMs
  const seenAtMs = fields.seenAtMs ?? postedAtMs
  return {
    type: 'Mentioned',
    data: {
      ...{ chat: '-100', post: 1, chatName: 'gems', poster: '-100', kind: 'call', isEditedIn: false, isLate: false },
      ...{ tokenCount: 1, source: 'text', originChat: null, originAtMs: null, isTracked: true, parserVersion: 1 },
      ...{ answeredAtMs: seenAtMs, postedAtMs, seenAtMs },
      ...fields,
    },
  }
}
