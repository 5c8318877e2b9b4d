/** What is asked of the recount, and the names that answers write. */
import { createHmac } from 'node:crypto'
import { callerIdSecret } from './project.ts'
import type { Recount } from './recount.ts'

export type Asking = Readonly<{ counted: Recount; cutAtMs: number }>

export const hourMs = 3_600_000

const hashed = (text: string): string => createHmac('sha1', callerIdSecret).update(text).digest('hex')
export const callerId = (chat: string, poster: string): string => hashed(`caller:${chat}:${poster}`)
export const chatId = (chat: string): string => hashed(`chat:${chat}`)
export const chainNames: Readonly<Record<string, string>> = { 'chain-a': 'chainA', 'chain-b': 'chainB' }

/** Until when the chats were followed. */
export function clockOf({ counted: { facts }, cutAtMs }: Asking): number {
  const known = facts.ticksOf('chats').filter(({ knownAtMs }) => knownAtMs <= cutAtMs)
  return Math.max(...known.map(({ blockAtMs }) => blockAtMs))
}
