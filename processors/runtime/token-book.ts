/** What a walk remembers, token by token: the states of its processors and the wakes they asked for. */
import assert from 'node:assert/strict'
import type { AnyProcessor } from '../processor.ts'
import { createTimers, type Timer, type Timers } from './timers.ts'

export type Entry = {
  readonly token: string
  /** One per processor, in flow order; undefined as long as that one has had nothing to do with the token. */
  readonly states: unknown[]
  /** The first of those pending. A token has few: linked, they weigh least and come and go without a list being made. */
  wakes: Wake | null
  /** The last block that held a fact of the token. */
  touchedBlock: number
  /** Who has read a fact of that block, a bit for each processor: the others are not called at its end. */
  readBy: number
}

export type Wake = Timer & { readonly entry: Entry; next: Wake | null }

/** What is stored of one token. */
export type TokenSnapshot = Readonly<{
  token: string
  states: readonly unknown[]
  dueAtMs: readonly (readonly number[])[]
  touchedBlock: number
}>

export class TokenBook {
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

  /** The token's entry, made when there is none. */
  entryOf(token: string): Entry {
    const known = this.#entries.get(token)
    if (known !== undefined) return known
    return this.#add(
      token,
      this.#processors.map(() => undefined),
    )
  }

  /** What the processor remembers of the token, made when there is none: most tokens need few of the processors. */
  stateOf({ states }: Entry, processorIndex: number): unknown {
    const known = states[processorIndex]
    if (known !== undefined) return known
    const made = this.#processors[processorIndex]?.initialState()
    states[processorIndex] = made
    return made
  }

  /** Asking twice for one instant is asking once. */
  schedule(entry: Entry, processorIndex: number, dueAtMs: number): void {
    if (!Number.isSafeInteger(dueAtMs)) assert.fail(`a wake at ${dueAtMs}`)
    for (let wake = entry.wakes; wake !== null; wake = wake.next)
      if (wake.dueAtMs === dueAtMs && wake.processorIndex === processorIndex) return
    entry.wakes = { dueAtMs, token: entry.token, processorIndex, entry, next: entry.wakes }
    this.#timers.push(entry.wakes)
  }

  /** Takes the first wake due strictly before the instant; null when none is. */
  takeDueBefore(atMs: number): Wake | null {
    const taken = this.#timers.popBefore(atMs)
    if (taken === null) return null
    const { entry, next } = taken
    let before = entry.wakes === taken ? null : entry.wakes
    while (before !== null && before.next !== taken) before = before.next
    if (before === null) entry.wakes = next
    else before.next = next
    return taken
  }

  /** An entry that no processor and no timer needs: a new one would be the same. */
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
      const dueAtMs: number[][] = states.map(() => [])
      for (let wake = entry.wakes; wake !== null; wake = wake.next) dueAtMs[wake.processorIndex]?.push(wake.dueAtMs)
      yield { token, states, dueAtMs, touchedBlock }
    }
  }

  restore({ token, states, dueAtMs, touchedBlock }: TokenSnapshot): void {
    assert(states.length === this.#processors.length, `a snapshot of ${states.length} processors`)
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
