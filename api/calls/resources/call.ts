/** The chats of a call in answers, shared by live calls and call outcomes. Answers show private chats only as counts and keyed hashes. */
import type { CallRow } from '../../../projections/calls/queries/calls-queries.ts'
import type { NamedChain } from './identifiers.ts'

/**
 * The values, besides the row, from which the fields of a call are computed. `atMs`: `generatedAt` of the answer. Ages
 * are counted up to this instant.
 */
export type CallPresentation = Readonly<{
  callerIdSecret: string
  /** Returns the names of a chain in answers. `name`: the name of the chain's stage. */
  chainOf(name: string): NamedChain
  atMs: number
}>

/**
 * The end of the description of the field `gaps`. It adds the cases in which `gaps` is null although trades
 * may be missing.
 */
export const ifAsked = ', and where there is no price at the call or it was asked for'

export type CallChat = CallRow['chats'][number]
export type PublicChat = CallChat & Readonly<{ chatName: string }>

export const isPublic = (chat: CallChat): chat is PublicChat => chat.chatName !== null

export const privateChatsOf = ({ chats }: Pick<CallRow, 'chats'>): readonly CallChat[] =>
  chats.filter((chat) => !isPublic(chat))

export const postsIn = (chats: readonly CallChat[]): number => chats.reduce((sum, { posts }) => sum + posts, 0)
