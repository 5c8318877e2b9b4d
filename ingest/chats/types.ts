/** The types of the chats in ingest. */
import type { ChatFact } from '../../schemas/chats/facts.ts'
import type { ChatTypes } from '../../schemas/chats/stage.ts'
import type { Chain } from '../chain.ts'
import type { ChainSource, FactRange, KeyedFact } from '../source.ts'

/** No address is followed. */
export type ChatsIngestTypes = Readonly<{ stage: ChatTypes; address: never; known: null }>

export type Chats = Chain<ChatsIngestTypes>
export type ChatSource = ChainSource<ChatsIngestTypes>
export type ChatRange = FactRange<ChatsIngestTypes>
/** Keyed by the chat. */
export type ChatKeyedFact = KeyedFact<ChatFact>
