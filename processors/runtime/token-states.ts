/** Holds the processor states and the timers of all tokens of a task. */
import assert from 'node:assert/strict'
import { type EpochMs, minuteMs } from '../../schemas/units.ts'
import type { AnyProcessor } from '../processor.ts'
import { StatePacker, type StatesGroup, statesOfGroup } from './state-packer.ts'
import { createTimers, type Timers } from './timers.ts'
import { type Entry, hasWake, type TokenSnapshot, type Wake } from './token-entry.ts'

/**
 * The states of a token are packed after this many minutes without facts. By then, timers have removed the
 * token's old prices and buys from the states. Few packed states are needed again.
 */
const quietMinutes = 180

/**
 * The compression dictionary is made from the states of this many quiet tokens. Until there are so many quiet
 * tokens, no states are packed.
 */
const examplesCount = 16

/**
 * The maximum number of tokens whose states are packed after one tick. Packing so many tokens takes about 30
 * ms.
 */
const packedAtOnce = 256

/**
 * The states of a token are trimmed after this many minutes without facts, and then again every
 * `trimEveryMinutes`. Trades leave the windows of bursts within a minute, and the other lists within an hour.
 */
const trimAfterMinutes = 2
const trimEveryMinutes = 20

export class TokenStates {
  readonly #processors: readonly AnyProcessor[]
  readonly #entries = new Map<string, Entry>()
  /** The entries whose states are not packed. */
  readonly #unpacked = new Set<Entry>()
  /** The entries of which only the states are unpacked that a timer will use soon, see `Processor.isOftenWoken`. */
  readonly #partlyPacked = new Set<Entry>()
  /** Packs and unpacks states. Null until the first states are packed. */
  #packer: StatePacker | null = null
  /** The current block time, and its minute. */
  #nowMs = 0
  #minute = 0
  /** The minute of block time in which all quiet tokens were last packed. */
  #packedMinute = 0
  readonly #timers: Timers<Wake> = createTimers()

  /** For each processor, its `isOftenWoken`. */
  readonly #isOftenWoken: readonly boolean[]
  /**
   * The shared list for entries whose states are all packed. It has one undefined value per processor,
   * because reads beyond the end of a list are slow.
   */
  readonly #noStates: unknown[]

  constructor(processors: readonly AnyProcessor[]) {
    this.#processors = processors
    this.#noStates = processors.map(() => undefined)
    this.#isOftenWoken = processors.map(({ isOftenWoken = false }) => isOftenWoken)
  }

  get tokenCount(): number {
    return this.#entries.size
  }

  get nowMs(): EpochMs {
    return this.#nowMs
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
      null,
    )
  }

  /** Returns the processor's state for the token, and creates it at its first use. Most tokens need only a few processors. */
  stateOf(entry: Entry, processorIndex: number): unknown {
    const known = entry.states[processorIndex]
    if (known !== undefined) return known
    if (entry.packed !== null || entry.serialized !== null) {
      this.#openStates(entry)
      return this.stateOf(entry, processorIndex)
    }
    const made = (this.#processors[processorIndex] as AnyProcessor).initialState()
    entry.states[processorIndex] = made
    return made
  }

  /** Sets the current block time. From now on, each use of an entry is recorded with this time. */
  advanceTo(atMs: EpochMs): void {
    this.#nowMs = atMs
    this.#minute = Math.floor(atMs / minuteMs)
  }

  /** Records that the token has a fact in the current minute. */
  use(entry: Entry): void {
    entry.usedMinute = this.#minute
  }

  /**
   * Trims the states of quiet tokens, and packs those of at most `packedAtOnce` tokens that have been quiet for
   * longer. The others are packed after later ticks. Call this function between ticks, because no other object
   * refers to a state then.
   */
  tidyQuiet(): void {
    if (this.#minute === this.#packedMinute) return
    const quiet = this.#trimAndFindQuiet()
    if (quiet.length < packedAtOnce) this.#packedMinute = this.#minute
    for (const entry of quiet) this.#openStates(entry)
    if (this.#packer === null) {
      if (quiet.length < examplesCount) return
      this.#packer = StatePacker.learn(quiet.slice(0, examplesCount).map(({ states }) => states))
    }
    for (const entry of quiet) this.#pack(entry, this.#packer)
  }

  /** Returns at most `packedAtOnce` entries with states to pack. Trims the other quiet entries that it passes. */
  #trimAndFindQuiet(): readonly Entry[] {
    const quiet: Entry[] = []
    for (const entry of this.#unpacked) {
      const quietFor = this.#minute - entry.usedMinute
      if (quietFor >= quietMinutes) quiet.push(entry)
      else if (quietFor >= trimAfterMinutes) this.#trim(entry)
      if (quiet.length === packedAtOnce) return quiet
    }
    for (const entry of this.#partlyPacked) {
      if (quiet.length === packedAtOnce) return quiet
      if (!entry.states.some((state, index) => state !== undefined && this.#isKept(entry, index))) quiet.push(entry)
    }
    return quiet
  }

  #pack(entry: Entry, packer: StatePacker): void {
    const isKept = entry.states.map((_, index) => this.#isKept(entry, index))
    const kept = entry.states.map((state, index) => (isKept[index] ? state : undefined))
    entry.packed = packer.pack(entry.states.map((state, index) => (isKept[index] ? undefined : state)))
    entry.states = this.#leanOf(kept)
    this.#unpacked.delete(entry)
    if (entry.states !== this.#noStates) this.#partlyPacked.add(entry)
  }

  /** Whether the processor's state must not be packed, because a timer will use it soon. */
  #isKept(entry: Entry, processorIndex: number): boolean {
    return this.#isOftenWoken[processorIndex] === true && hasWake(entry, processorIndex)
  }

  /** Trims the states of an entry and deletes the empty ones, unless this was done since its last fact and less than `trimEveryMinutes` ago. */
  #trim(entry: Entry): void {
    const { trimmedMinute, usedMinute } = entry
    if (trimmedMinute > usedMinute && this.#minute - trimmedMinute < trimEveryMinutes) return
    entry.trimmedMinute = this.#minute
    for (let index = 0; index < this.#processors.length; index++) {
      const state = entry.states[index]
      if (state === undefined) continue
      const processor = this.#processors[index] as AnyProcessor
      processor.trim?.(state, this.#minute * minuteMs)
      if (processor.isEmpty(state) && !hasWake(entry, index)) entry.states[index] = undefined
    }
    this.forgetIfEmpty(entry)
  }

  /** Returns the list itself, or one shared list if all elements are undefined. */
  #leanOf(states: unknown[]): unknown[] {
    return states.every((state) => state === undefined) ? this.#noStates : states
  }

  /** Sets a timer. Does nothing if the processor already has a timer for this token and time. */
  schedule(entry: Entry, processorIndex: number, dueAtMs: EpochMs): void {
    if (!Number.isSafeInteger(dueAtMs))
      assert.fail(`a timer is due at ${dueAtMs}, but must be due at a whole number of milliseconds`)
    for (let wake = entry.wakes; wake !== null; wake = wake.next)
      if (wake.dueAtMs === dueAtMs && wake.processorIndex === processorIndex) return
    entry.wakes = { dueAtMs, processorIndex, entry, next: entry.wakes }
    this.#timers.push(entry.wakes)
  }

  /** Removes and returns the first timer due strictly before `atMs`. Returns null if there is none. */
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
    if (entry.wakes !== null || entry.packed !== null || entry.serialized !== null) return
    for (let index = 0; index < this.#processors.length; index++) {
      const state = entry.states[index]
      if (state !== undefined && !(this.#processors[index] as AnyProcessor).isEmpty(state)) return
    }
    this.#entries.delete(entry.token)
    this.#unpacked.delete(entry)
  }

  *snapshots(): Iterable<TokenSnapshot> {
    for (const entry of this.#entries.values()) {
      const { token, states, packed, serialized, touchedBlock } = entry
      const timers: number[] = []
      for (let wake = entry.wakes; wake !== null; wake = wake.next) timers.push(wake.dueAtMs, wake.processorIndex)
      yield { token, states, packed, serialized, timers, touchedBlock }
    }
  }

  /** The dictionary of the packed states. Null: no states have been packed. */
  get dictionary(): Uint8Array | null {
    return this.#packer?.dictionary ?? null
  }

  /**
   * Restores the dictionary of a snapshot. Call this function before the tokens of the snapshot are restored.
   */
  restoreDictionary(dictionary: Uint8Array | null): void {
    this.#packer = dictionary && new StatePacker(dictionary)
  }

  restore({ token, states, packed, serialized, timers, touchedBlock }: TokenSnapshot): void {
    const isWhole = packed === null && serialized === null
    const entry = this.#add(token, isWhole ? [...states] : this.#leanOf([...states]), packed)
    entry.serialized = serialized
    entry.touchedBlock = touchedBlock
    for (let at = 0; at < timers.length; at += 2) {
      const [dueAtMs, processorIndex] = [timers[at] as EpochMs, timers[at + 1] as number]
      const { length } = this.#processors
      assert(
        processorIndex < length,
        `the snapshot has a timer of processor ${processorIndex}, and the stage has ${length} processors`,
      )
      this.schedule(entry, processorIndex, dueAtMs)
    }
  }

  /** Restores the states of an entry as objects, if they are packed or serialized. */
  #openStates(entry: Entry): void {
    if (entry.packed !== null) this.#unpack(entry, entry.packed)
    if (entry.serialized !== null) this.#openGroup(entry.serialized)
  }

  /** Restores the states of all tokens whose states are in the group. Most of them are needed soon. */
  #openGroup(group: StatesGroup): void {
    const statesOfTokens = statesOfGroup(group.bytes)
    for (const [at, token] of group.tokens.entries()) {
      const entry = token === undefined ? undefined : this.#entries.get(token)
      if (entry?.serialized !== group) continue
      entry.states = statesOfTokens[at] as unknown[]
      entry.serialized = null
    }
  }

  #unpack(entry: Entry, packed: string): void {
    assert(this.#packer, 'packed states need the dictionary that they were packed with')
    const kept = entry.states
    entry.states = this.#packer.unpack(packed).map((state, index) => kept[index] ?? state)
    entry.packed = null
    entry.usedMinute = this.#minute
    this.#partlyPacked.delete(entry)
    this.#unpacked.add(entry)
  }

  #add(token: string, states: unknown[], packed: string | null): Entry {
    // One literal without spreads: an object that is made of spreads takes 300 bytes more.
    const entry: Entry = {
      token,
      states,
      packed,
      serialized: null,
      usedMinute: this.#minute,
      trimmedMinute: 0,
      wakes: null,
      touchedBlock: -1,
      readBy: 0,
    }
    this.#entries.set(token, entry)
    if (packed === null) this.#unpacked.add(entry)
    else if (states !== this.#noStates) this.#partlyPacked.add(entry)
    return entry
  }
}
