import type { ChatFact } from '../../schemas/chats/facts.ts'
import type { ChatTypes } from '../../schemas/chats/stage.ts'
import type { Chain } from '../chain.ts'
import type { ChainSource, FactRange, KeyedFact } from '../source.ts'

/** The types of the chats as a source of facts. Chats need no address book, so it has no entries. */
export type ChatsIngestTypes = Readonly<{ stage: ChatTypes; address: never; known: null }>

export type Chats = Chain<ChatsIngestTypes>
export type ChatSource = ChainSource<ChatsIngestTypes>
export type ChatRange = FactRange<ChatsIngestTypes>
/** A fact with the key under which it is recorded. The key is the id of the chat. */
export type ChatKeyedFact = KeyedFact<ChatFact>
