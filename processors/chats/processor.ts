import type { ChatTypes } from '../../schemas/chats/stage.ts'
import type { Processor } from '../processor.ts'

export type ChatProcessor<State> = Processor<State, ChatTypes>
