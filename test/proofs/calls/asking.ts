/**
 * Says which answer the test recomputes: the recount of the facts, and the times. Also computes the hashed
 * names in answers.
 */
import { createHmac } from 'node:crypto'
import { callerIdSecret } from './derive/project.ts'
import type { Recount } from './recount.ts'

/**
 * `cutAtMs` is the time for which the route answers. `toldAtMs` is the whole hour of a list that is rebuilt
 * each hour.
 */
export type Asking = Readonly<{ counted: Recount; cutAtMs: number; toldAtMs?: number }>

export const hourMs = 3_600_000

const hashed = (text: string): string => createHmac('sha1', callerIdSecret).update(text).digest('hex')
export const callerId = (chat: string, poster: string): string => hashed(`caller:${chat}:${poster}`)
export const chatId = (chat: string): string => hashed(`chat:${chat}`)
export const sourceNames: Readonly<Record<string, string>> = { 'chain-a': 'chainA', 'chain-b': 'chainB' }

/**
 * Returns the last time that an answer covers: the hour of the list, or the block time of the newest known
 * chat tick.
 */
export function clockOf({ counted: { facts }, cutAtMs, toldAtMs }: Asking): number {
  if (toldAtMs !== undefined) return toldAtMs
  const known = facts.ticksOf('chats').filter(({ knownAtMs }) => knownAtMs <= cutAtMs)
  return Math.max(...known.map(({ blockAtMs }) => blockAtMs))
}
