/**
 * The parts of a call that live calls and call outcomes share in answers. Answers show private chats only as
 * counts and keyed hashes.
 */
import type { CallRow } from '../../../projections/calls/queries/calls-queries.ts'
import type { NamedChain } from './identifiers.ts'

/**
 * The values that the fields of a call need besides the database row of the call. `atMs`: the time for which
 * the answer was computed. Ages are counted up to this time.
 */
export type CallPresentation = Readonly<{
  callerIdSecret: string
  /** Returns the public names of a chain. `name`: the internal name of the chain. */
  chainOf(name: string): NamedChain
  atMs: number
}>

/**
 * The end of the description of the field `gaps`, which describes missing trades. It adds the cases in which
 * `gaps` is null although trades may be missing.
 */
export const ifAsked = ', and where there is no price at the call or it was asked for'

export type CallChat = CallRow['chats'][number]
export type PublicChat = CallChat & Readonly<{ chatName: string }>

export const isPublic = (chat: CallChat): chat is PublicChat => chat.chatName !== null

export const privateChatsOf = ({ chats }: Pick<CallRow, 'chats'>): readonly CallChat[] =>
  chats.filter((chat) => !isPublic(chat))

export const postsIn = (chats: readonly CallChat[]): number => chats.reduce((sum, { posts }) => sum + posts, 0)
