import type { ChatFact } from '../../schemas/chats/facts.ts'
import type { ChatTypes } from '../../schemas/chats/stage.ts'
import type { Chain } from '../chain.ts'
import type { ChainSource, FactRange, KeyedFact } from '../source.ts'

/** The types of the chats, whose address book is empty. */
export type ChatsIngestTypes = Readonly<{ stage: ChatTypes; address: never; known: null }>

export type Chats = Chain<ChatsIngestTypes>
export type ChatSource = ChainSource<ChatsIngestTypes>
export type ChatRange = FactRange<ChatsIngestTypes>
/** A fact with its key in the log. The key is the id of the chat. */
export type ChatKeyedFact = KeyedFact<ChatFact>
