/** The lines of the tape: the newest events of the overview in words, newest first. */
import type { EpochMs } from '../../schemas/units.ts'
import type { Overview } from './overview.ts'
import type { FrontCall } from './parts.ts'

/** `id`: names the line, so that a viewer shows it one time. */
export type Line = Readonly<{ id: string; atMs: EpochMs; chain: string; token: string; text: string }>

const linesShown = 40

export function linesOf({ chains, calls }: Overview): readonly Line[] {
  const lines = [
    ...chains.flatMap(({ part: { wireName: chain }, shown }) =>
      (shown?.bursts ?? []).slice(0, linesShown).map(({ token, atMs, text }) => ({ chain, token, atMs, text })),
    ),
    ...(calls?.calls ?? []).map((call) => ({
      ...{ chain: call.chain ?? 'no chain', token: call.token, atMs: call.atMs },
      text: `named by ${namersOf(call)}`,
    })),
  ]
  return lines
    .sort((left, right) => right.atMs - left.atMs)
    .slice(0, linesShown)
    .map((line) => ({ id: `${line.chain} ${line.token} ${line.atMs} ${line.text}`, ...line }))
}

/** The public chats by name and the number of private chats, such as `@alpha and 2 private chats`. */
export function namersOf({ chats, privateChats }: Pick<FrontCall, 'chats' | 'privateChats'>): string {
  const hidden = privateChats === 0 ? [] : [privateChats === 1 ? 'a private chat' : `${privateChats} private chats`]
  return [...chats, ...hidden].join(', ')
}
