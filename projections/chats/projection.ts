/** The tables of the chats, and the record that each shows. Posts have no table, because no answer shows a text. */
import { type ChatTypes, chatsStage } from '../../schemas/chats/stage.ts'
import { projectionOf } from '../projection.ts'
import { chatCards } from './tables/chat-cards.ts'
import { chatGaps } from './tables/chat-gaps.ts'

export const chatsProjection = projectionOf<ChatTypes>({
  stage: chatsStage,
  migrations: [new URL('./migrations/', import.meta.url)],
  tables: { ChatGap: chatGaps, CardCount: chatCards },
})
