/** The memory of a walk: for each token, the states of its processors and their timers. */
import assert from 'node:assert/strict'
import type { BlockNumber, EpochMs } from '../../schemas/units.ts'
import type { AnyProcessor } from '../processor.ts'
import { createTimers, type Timer, type Timers } from './timers.ts'

export type Entry = {
  readonly token: string
  /** One state per processor, in flow order. Undefined until the processor first needs the state. */
  readonly states: unknown[]
  /** The first pending timer, as a linked list. A token has few timers, so a linked list takes the least memory. */
  wakes: Wake | null
  /** The last block with a fact of the token. */
  touchedBlock: BlockNumber
  /** One bit for each processor that reads a fact of `touchedBlock`. Only these processors are called at the end of that block. */
  readBy: number
}

export type Wake = Timer & { readonly entry: Entry; next: Wake | null }

export type TokenSnapshot = Readonly<{
  token: string
  states: readonly unknown[]
  dueAtMs: readonly (readonly number[])[]
  touchedBlock: BlockNumber
}>

export class TokenStates {
  readonly #processors: readonly AnyProcessor[]
  readonly #entries = new Map<string, Entry>()
  readonly #timers: Timers<Wake> = createTimers()

  constructor(processors: readonly AnyProcessor[]) {
    this.#processors = processors
  }

  get tokenCount(): number {
    return this.#entries.size
  }

  get timerCount(): number {
    return this.#timers.size()
  }

  /** Returns the entry of the token, and creates it if it is missing. */
  entryOf(token: string): Entry {
    const known = this.#entries.get(token)
    if (known !== undefined) return known
    return this.#add(
      token,
      this.#processors.map(() => undefined),
    )
  }

  /** Returns the processor's state for the token, and creates it at its first use. Most tokens need only a few processors. */
  stateOf({ states }: Entry, processorIndex: number): unknown {
    const known = states[processorIndex]
    if (known !== undefined) return known
    const made = this.#processors[processorIndex]?.initialState()
    states[processorIndex] = made
    return made
  }

  /** Sets a timer. A second timer for the same instant does nothing. */
  schedule(entry: Entry, processorIndex: number, dueAtMs: EpochMs): void {
    if (!Number.isSafeInteger(dueAtMs))
      assert.fail(`a timer is due at ${dueAtMs}, which is not a whole number of milliseconds`)
    for (let wake = entry.wakes; wake !== null; wake = wake.next)
      if (wake.dueAtMs === dueAtMs && wake.processorIndex === processorIndex) return
    entry.wakes = { dueAtMs, token: entry.token, processorIndex, entry, next: entry.wakes }
    this.#timers.push(entry.wakes)
  }

  /** Removes and returns the first timer due strictly before the instant. Null if there is none. */
  takeDueBefore(atMs: EpochMs): Wake | null {
    const taken = this.#timers.popBefore(atMs)
    if (taken === null) return null
    const { entry, next } = taken
    let before = entry.wakes === taken ? null : entry.wakes
    while (before !== null && before.next !== taken) before = before.next
    if (before === null) entry.wakes = next
    else before.next = next
    return taken
  }

  /** Deletes the entry if it has no timers and all its states are empty. A new entry would be equal to it. */
  forgetIfEmpty(entry: Entry): void {
    if (entry.wakes !== null) return
    for (let index = 0; index < this.#processors.length; index++) {
      const state = entry.states[index]
      if (state !== undefined && !this.#processors[index]?.isEmpty(state)) return
    }
    this.#entries.delete(entry.token)
  }

  *snapshots(): Iterable<TokenSnapshot> {
    for (const entry of this.#entries.values()) {
      const { token, states, touchedBlock } = entry
      const dueAtMs: EpochMs[][] = states.map(() => [])
      for (let wake = entry.wakes; wake !== null; wake = wake.next) dueAtMs[wake.processorIndex]?.push(wake.dueAtMs)
      yield { token, states, dueAtMs, touchedBlock }
    }
  }

  restore({ token, states, dueAtMs, touchedBlock }: TokenSnapshot): void {
    assert(
      states.length === this.#processors.length,
      `the snapshot holds the states of ${states.length} processors, not ${this.#processors.length}`,
    )
    const entry = this.#add(token, [...states])
    entry.touchedBlock = touchedBlock
    for (const [index, pending] of dueAtMs.entries()) for (const atMs of pending) this.schedule(entry, index, atMs)
  }

  #add(token: string, states: unknown[]): Entry {
    const entry: Entry = { token, states, wakes: null, touchedBlock: -1, readBy: 0 }
    this.#entries.set(token, entry)
    return entry
  }
}
