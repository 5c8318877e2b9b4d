/** What live calls and outcomes say of the chats of a call. Of private chats: how many, and hashes. */
import type { CallRow } from '../../../projections/calls/queries/calls-queries.ts'
import type { NamedChain } from './identifiers.ts'

/** What rows of calls are shown with. `atMs`: `generatedAt` of the answer, to which ages count. */
export type CallPresentation = Readonly<{
  callerIdSecret: string
  /** By the name of its stage. */
  chainOf(name: string): NamedChain
  atMs: number
}>

/** The end of the description of `gaps`: when it is null although trades may be missing. */
export const ifAsked = ', and where there is no price at the call or it was asked for'

export type CallChat = CallRow['chats'][number]
export type PublicChat = CallChat & Readonly<{ chatName: string }>

export const isPublic = (chat: CallChat): chat is PublicChat => chat.chatName !== null

export const privateChatsOf = ({ chats }: Pick<CallRow, 'chats'>): readonly CallChat[] =>
  chats.filter((chat) => !isPublic(chat))

export const postsIn = (chats: readonly CallChat[]): number => chats.reduce((sum, { posts }) => sum + posts, 0)
