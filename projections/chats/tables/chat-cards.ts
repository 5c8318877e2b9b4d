import type { CardCount, ChatRowKey } from '../../../schemas/chats/derived.ts'
import { dayMs } from '../../../schemas/units.ts'
import { int64, plain, text } from '../../columns.ts'
import { versionTable } from '../../table.ts'

const bots = plain<CardCount['bots']>('Array(Tuple(bot String, posts Int32, unread Int32))')

export const chatCards = versionTable<CardCount>()({
  name: 'chat_cards',
  naturalKey: ['from_at_ms', 'chat'],
  order: ['from_at_ms', 'chat'],
  partition: { column: 'from_at_ms', everyMs: dayMs },
  columns: {
    chat: text((_, { logKey }) => logKey),
    from_at_ms: int64(({ fromAtMs }) => fromAtMs),
    to_at_ms: int64(({ toAtMs }) => toAtMs),
    bots: bots((count) => count.bots.map(({ bot, posts, unread }) => ({ bot, posts, unread }))),
  },
  withdrawn: ({ atMs }: ChatRowKey, chat) => ({ chat, from_at_ms: atMs }),
})
