/**
 * The tables about chats, by record type. Posts have no table, because no answer contains the text of a post.
 */
import { type ChatTypes, chatsStage } from '../../schemas/chats/stage.ts'
import { projectionOf } from '../projection.ts'
import { chatCards } from './tables/chat-cards.ts'
import { chatGaps } from './tables/chat-gaps.ts'

export const chatsProjection = projectionOf<ChatTypes>({
  stage: chatsStage,
  migrations: [new URL('./migrations/', import.meta.url)],
  tables: { ChatGap: chatGaps, CardCount: chatCards },
})
