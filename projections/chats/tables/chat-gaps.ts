import type { ChatGap, ChatRowKey } from '../../../schemas/chats/derived.ts'
import { dayMs } from '../../../schemas/units.ts'
import { int64, label, text } from '../../columns.ts'
import { versionTable } from '../../table.ts'

export const chatGaps = versionTable<ChatGap>()({
  name: 'chat_gaps',
  naturalKey: ['from_at_ms', 'chat'],
  order: ['from_at_ms', 'chat'],
  partition: { column: 'from_at_ms', everyMs: dayMs },
  columns: {
    chat: text((_, { logKey }) => logKey),
    from_at_ms: int64(({ fromAtMs }) => fromAtMs),
    to_at_ms: int64(({ toAtMs }) => toAtMs),
    reason: label(({ reason }) => reason),
  },
  withdrawn: ({ atMs }: ChatRowKey, chat) => ({ chat, from_at_ms: atMs }),
})
