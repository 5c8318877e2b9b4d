/** What a walk remembers, token by token: the states of its processors and the wakes they asked for. */
import assert from 'node:assert/strict'
import type { Processor } from '../processor.ts'
import { createTimers, type Timer, type Timers } from './timers.ts'

export type Token = `0x${string}`

export type Entry = {
  readonly token: Token
  /** One per processor, in flow order; undefined as long as that one has had nothing to do with the token. */
  readonly states: unknown[]
  /** Those pending. A token has few: one list weighs less than one for each processor, and least when it never grew. */
  wakes: readonly Timer<Entry>[]
  /** The last block that held a fact of the token. */
  touchedBlock: number
  /** Who has read a fact of that block, a bit for each processor: the others are not called at its end. */
  readBy: number
}

/** What is stored of one token. */
export type TokenSnapshot = Readonly<{
  token: Token
  states: readonly unknown[]
  dueAtMs: readonly (readonly number[])[]
  touchedBlock: number
}>

const none: readonly Timer<Entry>[] = []

const dueAtMsOf = (wakes: readonly Timer<Entry>[], processorIndex: number): readonly number[] =>
  wakes.flatMap((wake) => (wake.processorIndex === processorIndex ? [wake.dueAtMs] : []))

export class TokenBook {
  readonly #processors: readonly Processor[]
  readonly #entries = new Map<Token, Entry>()
  readonly #timers: Timers<Entry> = createTimers()

  constructor(processors: readonly Processor[]) {
    this.#processors = processors
  }

  get tokenCount(): number {
    return this.#entries.size
  }

  get timerCount(): number {
    return this.#timers.size()
  }

  /** The token's entry, made when there is none. */
  entryOf(token: Token): Entry {
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
    for (const wake of entry.wakes) if (wake.dueAtMs === dueAtMs && wake.processorIndex === processorIndex) return
    const timer = { dueAtMs, token: entry.token, processorIndex, entry }
    entry.wakes = entry.wakes.concat(timer)
    this.#timers.push(timer)
  }

  /** Takes the first wake due strictly before the instant; null when none is. */
  takeDueBefore(atMs: number): Timer<Entry> | null {
    const timer = this.#timers.popBefore(atMs)
    if (timer === null) return null
    const { entry } = timer
    entry.wakes = entry.wakes.toSpliced(entry.wakes.indexOf(timer), 1)
    return timer
  }

  /** An entry that no processor and no timer needs: a new one would be the same. */
  forgetIfEmpty(entry: Entry): void {
    if (entry.wakes.length > 0) return
    for (let index = 0; index < this.#processors.length; index++) {
      const state = entry.states[index]
      if (state !== undefined && !this.#processors[index]?.isEmpty(state)) return
    }
    this.#entries.delete(entry.token)
  }

  *snapshots(): Iterable<TokenSnapshot> {
    for (const { token, states, wakes, touchedBlock } of this.#entries.values())
      yield { token, states, dueAtMs: states.map((_, index) => dueAtMsOf(wakes, index)), touchedBlock }
  }

  restore({ token, states, dueAtMs, touchedBlock }: TokenSnapshot): void {
    assert(states.length === this.#processors.length, `a snapshot of ${states.length} processors`)
    const entry = this.#add(token, [...states])
    entry.touchedBlock = touchedBlock
    for (const [index, pending] of dueAtMs.entries()) for (const atMs of pending) this.schedule(entry, index, atMs)
  }

  #add(token: Token, states: unknown[]): Entry {
    const entry = { token, states, wakes: none, touchedBlock: -1, readBy: 0 }
    this.#entries.set(token, entry)
    return entry
  }
}
