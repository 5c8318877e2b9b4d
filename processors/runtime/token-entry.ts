/** What a task holds for one token: the states of the processors and the pending timers. */
import type { BlockNumber } from '../../schemas/units.ts'
import type { StatesGroup } from './state-packer.ts'
import type { Timer } from './timers.ts'

export type Entry = {
  readonly token: string
  /**
   * One state per processor, in flow order. An element is undefined until the processor first needs the
   * state, and while the state is packed (compressed) or serialized.
   */
  states: unknown[]
  /** The compressed states of a token that has had no facts for hours. Null: no states are compressed. */
  packed: string | null
  /** The group of a snapshot with the states, until a processor needs a state of one of its tokens. Null: the states are not serialized. */
  serialized: StatesGroup | null
  /** The minute of block time of the token's last fact, or of the last use of its packed states. */
  usedMinute: number
  /** The minute of block time in which the token's states were last trimmed. 0: never since the start. */
  trimmedMinute: number
  /**
   * The first element of a linked list of the token's pending timers. A token has few timers, so a linked
   * list takes the least memory.
   */
  wakes: Wake | null
  /** The last block with a fact of the token. */
  touchedBlock: BlockNumber
  /** One bit for each processor that reads a fact of `touchedBlock`. Only these processors are called at the end of that block. */
  readBy: number
}

export type Wake = Timer & { readonly entry: Entry; next: Wake | null }

/** Returns whether the processor has a pending timer for the token. */
export function hasWake({ wakes }: Entry, processorIndex: number): boolean {
  for (let wake = wakes; wake !== null; wake = wake.next) if (wake.processorIndex === processorIndex) return true
  return false
}

export type TokenSnapshot = Readonly<{
  token: string
  states: readonly unknown[]
  /** The compressed states, which are missing in `states`. Null: no states are compressed. */
  packed: string | null
  /** The group with the states, which are missing in `states`. Null: no states are serialized. */
  serialized: StatesGroup | null
  /** The pending timers. Each is two numbers: when it is due, and the index of its processor. */
  timers: readonly number[]
  touchedBlock: BlockNumber
}>
