/**
 * The walk of one task: one partition's records in log order, through all processors, tick by tick. Pure: equal records
 * give equal outputs, however coarse the ticks are.
 *
 *   block 7 (t=10)          block 8 (t=12)            tick (t=15)
 *   facts · end of block 7 · timers due < 12 · facts · end of block 8 · timers due < 15 · answers
 */
import assert from 'node:assert/strict'
import type { ChainADerived } from '../../schemas/chain-a/derived.ts'
import type { ChainAAnswer, ChainAFact, Tick } from '../../schemas/chain-a/facts.ts'
import type { Block, Processor, ProcessorContext } from '../processor.ts'
import { createTimers } from './timers.ts'

export type Token = `0x${string}`

/** A derived record and the token it is about. */
export type TokenOutput = Readonly<{ token: Token; record: ChainADerived }>

/** What the walk remembers of one token: a state and the pending wakes for each processor, in flow order. */
export type TokenSnapshot = Readonly<{
  token: Token
  states: readonly unknown[]
  dueAtMs: readonly (readonly number[])[]
}>

/** Refers to the live states: serialise it before the next record is walked. */
export type WalkSnapshot = Readonly<{
  lastTick: Tick
  tokens: Iterable<TokenSnapshot>
}>

export type Walk = Readonly<{
  /** Walks a fact at once; an answer waits for its tick. Facts come in chain order and lie behind the last tick's block. */
  onRecord(token: Token, record: ChainAFact | ChainAAnswer): void
  /** Closes what stands before it and returns all that came of it, in the order of emission. */
  onTick(tick: Tick): readonly TokenOutput[]
  /** Only right after a tick; null before the first. */
  snapshot(): WalkSnapshot | null
  /** Takes over the states of the snapshot. Only before the first record. */
  restore(snapshot: WalkSnapshot): void
  counts(): Readonly<{ tokens: number; timers: number }>
}>

type Entry = {
  readonly token: Token
  readonly states: unknown[]
  /** Pending wakes by processor; null until the first wish. */
  readonly dueAtMs: (Set<number> | null)[]
  timerCount: number
  /** The last block that held a fact of the token. */
  touchedBlock: number
}

/** A processor that wakes itself into the past for ever would hang the task; no rule comes near this. */
const wakesIntoThePastMax = 100_000

export function createWalk(processors: readonly Processor[]): Walk {
  const onFact = processors.filter((processor) => processor.onFact)
  const factIndexes = onFact.map((processor) => processors.indexOf(processor))
  const contexts = processors.map((_, index) => createContext(index))
  const entries = new Map<Token, Entry>()
  const timers = createTimers<Entry>()
  let outputs: TokenOutput[] = []
  let answers: { token: Token; answer: ChainAAnswer }[] = []
  let touched: Entry[] = []
  let block: Block | null = null
  let lastTick: Tick | null = null
  /** Whose record is being walked: emissions and wishes are always about this token. */
  let current: Entry | null = null

  function createContext(index: number): ProcessorContext {
    return {
      get token() {
        return inHand().token
      },
      emit(record) {
        const entry = inHand()
        outputs.push({ token: entry.token, record })
        for (let behind = index + 1; behind < processors.length; behind++)
          processors[behind]?.onDerived?.(entry.states[behind], record, contexts[behind] as ProcessorContext)
      },
      wakeAt(dueAtMs) {
        schedule(inHand(), index, dueAtMs)
      },
    }
  }

  function inHand(): Entry {
    assert(current, 'a processor kept its context beyond the call')
    return current
  }

  function schedule(entry: Entry, processorIndex: number, dueAtMs: number): void {
    assert(Number.isSafeInteger(dueAtMs), `a wake at ${dueAtMs}`)
    const pending = entry.dueAtMs[processorIndex] ?? new Set()
    if (pending.has(dueAtMs)) return
    entry.dueAtMs[processorIndex] = pending
    pending.add(dueAtMs)
    entry.timerCount += 1
    timers.push({ dueAtMs, token: entry.token, processorIndex, entry })
  }

  function entryOf(token: Token): Entry {
    if (current !== null && current.token === token) return current
    let entry = entries.get(token)
    if (entry === undefined) {
      entry = createEntry(
        token,
        processors.map((processor) => processor.initialState()),
      )
      entries.set(token, entry)
    }
    return entry
  }

  function forgetIfEmpty(entry: Entry): void {
    if (entry.timerCount > 0) return
    for (let index = 0; index < processors.length; index++) if (!processors[index]?.isEmpty(entry.states[index])) return
    entries.delete(entry.token)
    current = null
  }

  function beginBlock(data: ChainAFact['data']): void {
    endBlock()
    const before = lastTick
    assert(before === null || data.blockNumber > before.blockNumber, `block ${data.blockNumber} was closed by a tick`)
    fireTimersBefore(data.blockAtMs)
    block = {
      number: data.blockNumber,
      hash: data.blockHash,
      atMs: data.blockAtMs,
    }
  }

  function endBlock(): void {
    if (block === null) return
    if (touched.length > 1) touched.sort((left, right) => (left.token < right.token ? -1 : 1))
    for (const entry of touched) {
      current = entry
      for (let index = 0; index < processors.length; index++)
        processors[index]?.onBlockEnd?.(entry.states[index], block, contexts[index] as ProcessorContext)
      forgetIfEmpty(entry)
    }
    touched = []
    current = null
  }

  function fireTimersBefore(atMs: number): void {
    let lastDueAtMs = Number.NEGATIVE_INFINITY
    let intoThePast = 0
    for (let timer = timers.popBefore(atMs); timer !== null; timer = timers.popBefore(atMs)) {
      const { entry, dueAtMs, processorIndex } = timer
      intoThePast = dueAtMs > lastDueAtMs ? 0 : intoThePast + 1
      assert(intoThePast < wakesIntoThePastMax, `${processors[processorIndex]?.name} never stops waking`)
      lastDueAtMs = Math.max(lastDueAtMs, dueAtMs)
      entry.dueAtMs[processorIndex]?.delete(dueAtMs)
      entry.timerCount -= 1
      current = entry
      processors[processorIndex]?.onWake?.(
        entry.states[processorIndex],
        dueAtMs,
        contexts[processorIndex] as ProcessorContext,
      )
      forgetIfEmpty(entry)
    }
    current = null
  }

  function giveAnswers(): void {
    for (const { token, answer } of answers) {
      const entry = entryOf(token)
      current = entry
      for (let index = 0; index < processors.length; index++)
        processors[index]?.onAnswer?.(entry.states[index], answer, contexts[index] as ProcessorContext)
      forgetIfEmpty(entry)
    }
    answers = []
    current = null
  }

  return {
    onRecord(token, record) {
      if (record.type === 'SendersAnswered') {
        answers.push({ token, answer: record })
        return
      }
      const { data } = record
      if (block === null || data.blockNumber !== block.number) {
        assert(block === null || data.blockNumber > block.number, `block ${data.blockNumber} came late`)
        assert(block === null || data.blockAtMs >= block.atMs, `the time of block ${data.blockNumber} falls`)
        beginBlock(data)
      }
      const entry = entryOf(token)
      current = entry
      if (entry.touchedBlock !== data.blockNumber) {
        entry.touchedBlock = data.blockNumber
        touched.push(entry)
      }
      for (let at = 0; at < factIndexes.length; at++) {
        const index = factIndexes[at] as number
        onFact[at]?.onFact?.(entry.states[index], record, contexts[index] as ProcessorContext)
      }
    },

    onTick(tick) {
      endBlock()
      checkTick(tick, lastTick, block)
      block = null
      fireTimersBefore(tick.blockAtMs)
      giveAnswers()
      lastTick = tick
      const closed = outputs
      outputs = []
      return closed
    },

    snapshot() {
      assert(block === null && answers.length === 0, 'a snapshot inside a tick')
      return lastTick === null ? null : { lastTick, tokens: tokenSnapshots(entries) }
    },

    restore(snapshot) {
      assert(lastTick === null && block === null && entries.size === 0, 'a restore into a walk that has begun')
      lastTick = snapshot.lastTick
      for (const { token, states, dueAtMs } of snapshot.tokens) {
        assert(states.length === processors.length, `a snapshot of ${states.length} processors`)
        const entry = createEntry(token, [...states])
        entries.set(token, entry)
        for (const [index, pending] of dueAtMs.entries()) for (const at of pending) schedule(entry, index, at)
      }
    },

    counts: () => ({ tokens: entries.size, timers: timers.size() }),
  }
}

const createEntry = (token: Token, states: unknown[]): Entry => ({
  token,
  states,
  dueAtMs: states.map(() => null),
  timerCount: 0,
  touchedBlock: -1,
})

function* tokenSnapshots(entries: ReadonlyMap<Token, Entry>): Iterable<TokenSnapshot> {
  for (const { token, states, dueAtMs } of entries.values())
    yield {
      token,
      states,
      dueAtMs: dueAtMs.map((pending) => (pending === null ? [] : [...pending])),
    }
}

function checkTick(tick: Tick, last: Tick | null, block: Block | null): void {
  const where = `tick ${tick.seq}`
  if (last !== null) {
    assert(tick.seq === last.seq + 1, `${where} follows tick ${last.seq}`)
    assert(tick.knownAtMs >= last.knownAtMs, `${where}: knownAtMs falls`)
    assert(tick.blockAtMs >= last.blockAtMs, `${where}: blockAtMs falls`)
    assert(tick.blockNumber >= last.blockNumber, `${where}: blockNumber falls`)
  }
  if (block !== null) {
    assert(tick.blockNumber >= block.number, `${where} closes block ${tick.blockNumber}, behind block ${block.number}`)
    assert(tick.blockAtMs >= block.atMs, `${where} is earlier than its last block`)
  }
}
