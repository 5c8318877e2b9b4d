/** What a walk remembers, token by token: the states of its processors and the wakes they asked for. */
import assert from 'node:assert/strict'
import type { Processor } from '../processor.ts'
import { createTimers, type Timer, type Timers } from './timers.ts'

export type Token = `0x${string}`

export type Entry = {
  readonly token: Token
  /** One per processor, in flow order. */
  readonly states: unknown[]
  /** Pending wakes by processor; null until the first wish. A token has few, and lists weigh less than sets. */
  readonly dueAtMs: (number[] | null)[]
  timerCount: number
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
      this.#processors.map((processor) => processor.initialState()),
    )
  }

  /** Asking twice for one instant is asking once. */
  schedule(entry: Entry, processorIndex: number, dueAtMs: number): void {
    if (!Number.isSafeInteger(dueAtMs)) assert.fail(`a wake at ${dueAtMs}`)
    const pending = entry.dueAtMs[processorIndex] ?? []
    if (pending.includes(dueAtMs)) return
    entry.dueAtMs[processorIndex] = pending
    pending.push(dueAtMs)
    entry.timerCount += 1
    this.#timers.push({ dueAtMs, token: entry.token, processorIndex, entry })
  }

  /** Takes the first wake due strictly before the instant; null when none is. */
  takeDueBefore(atMs: number): Timer<Entry> | null {
    const timer = this.#timers.popBefore(atMs)
    if (timer === null) return null
    const pending = timer.entry.dueAtMs[timer.processorIndex]
    pending?.splice(pending.indexOf(timer.dueAtMs), 1)
    timer.entry.timerCount -= 1
    return timer
  }

  /** An entry that no processor and no timer needs: a new one would be the same. */
  forgetIfEmpty(entry: Entry): void {
    if (entry.timerCount > 0) return
    for (let index = 0; index < this.#processors.length; index++)
      if (!this.#processors[index]?.isEmpty(entry.states[index])) return
    this.#entries.delete(entry.token)
  }

  *snapshots(): Iterable<TokenSnapshot> {
    for (const { token, states, dueAtMs, touchedBlock } of this.#entries.values())
      yield { token, states, dueAtMs: dueAtMs.map((pending) => [...(pending ?? [])]), touchedBlock }
  }

  restore({ token, states, dueAtMs, touchedBlock }: TokenSnapshot): void {
    assert(states.length === this.#processors.length, `a snapshot of ${states.length} processors`)
    const entry = this.#add(token, [...states])
    entry.touchedBlock = touchedBlock
    for (const [index, pending] of dueAtMs.entries()) for (const atMs of pending) this.schedule(entry, index, atMs)
  }

  #add(token: Token, states: unknown[]): Entry {
    const entry = { token, states, dueAtMs: states.map(() => null), timerCount: 0, touchedBlock: -1, readBy: 0 }
    this.#entries.set(token, entry)
    return entry
  }
}
