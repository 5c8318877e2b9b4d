/** What a task holds for one token: the states of the processors and the pending timers. */
import type { StageRecord } from '../../schemas/stage.ts'
import type { Tick } from '../../schemas/tick.ts'
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

/**
 * The maximum number of timers in a row that are set for a time in the past. Above this number the walk
 * fails, because an endless series of such timers would block the task.
 */
export const wakesIntoThePastMax = 100_000

export const isIntoThePast = (timer: Wake, last: Wake): boolean =>
  timer.dueAtMs < last.dueAtMs ||
  (timer.dueAtMs === last.dueAtMs && timer.entry === last.entry && timer.processorIndex === last.processorIndex)

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

/** Contains the walk's own state objects, not copies. Serialise the snapshot before the walk continues. */
export type WalkSnapshot = Readonly<{
  lastTick: Tick
  /** The dictionary that is needed to decompress packed states. Null if no states are packed. */
  dictionary: Uint8Array | null
  tokens: Iterable<TokenSnapshot>
}>

/**
 * A derived record, with the token that the record is about. After a reorg the record can also be a mark,
 * which names a row that the reorg changed.
 */
export type TokenOutput<Record extends StageRecord> = Readonly<{ token: string; record: Record }>
