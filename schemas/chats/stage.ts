/**
 * The stage of the chats. Its ticks show up to which time the chats were read, so queries can treat the chats
 * in the same way as a chain. The tokens that a post names are facts of the token's chain, not of this stage.
 */
import { chainBlocks, type Stage } from '../stage.ts'
import { topics } from '../topics.ts'
import { type ChatDerived, type ChatRowKey, rowKeyOf } from './derived.ts'
import type { ChatAnswer, ChatFact } from './facts.ts'

export type ChatTypes = Readonly<{ fact: ChatFact; answer: ChatAnswer; derived: ChatDerived; key: ChatRowKey }>

export const chatsStage: Stage<ChatTypes> = {
  name: 'chats',
  factTopic: topics['chat-posts'],
  derivedTopic: topics['chats-derived'],
  rulesVersion: 'c1',
  isAnswer: ({ type }) => type === 'CardsCounted',
  ...chainBlocks,
  rowKeyOf,
  rowNameOf: () => '',
  movableTypes: [],
}
