/**
 * The walk of one task passes the records of one partition to all processors in log order, tick by tick. The walk is pure: equal facts give
 * equal outputs, however many blocks a tick closes.
 *
 *   block 7 (t=10)          block 8 (t=12)                                tick (t=15)
 *   facts · end of block 7 · timers due < 12 · facts · end of block 8 · timers due < 15 · answers
 */
import assert from 'node:assert/strict'
import type { Block, Stage, StageTypes } from '../../schemas/stage.ts'
import type { Tick } from '../../schemas/tick.ts'
import type { BlockNumber, EpochMs } from '../../schemas/units.ts'
import type { Markets } from '../markets/markets.ts'
import type { Move } from '../markets/move.ts'
import type { ProcessorContext, StageProcessor } from '../processor.ts'
import { sortFew } from '../sort-few.ts'
import { followersByType, moversByType, type Readers, readersByType } from './readers.ts'
import { RevertedAnswers, type TokenAnswer } from './reverted-answers.ts'
import {
  type Entry,
  isIntoThePast,
  type TokenOutput,
  type Wake,
  type WalkSnapshot,
  wakesIntoThePastMax,
} from './token-entry.ts'
import { TokenStates } from './token-states.ts'
import { checkBlock, checkDense, checkTick, misfitOf } from './walk-order.ts'

/** A stage, and its processors in flow order. */
export type WalkDependencies<Types extends StageTypes> = Readonly<{
  stage: Stage<Types>
  processors: readonly StageProcessor<NoInfer<Types>>[]
}>

/** The walk of any stage. Tasks use this type. */
export type AnyWalk = Walk<StageTypes>

export const createWalk = <Types extends StageTypes>(dependencies: WalkDependencies<Types>): Walk<Types> =>
  new Walk(dependencies)

export class Walk<Types extends StageTypes> {
  readonly #stage: Stage<Types>
  readonly #processors: readonly StageProcessor<Types>[]
  readonly #contexts: readonly ProcessorContext<Types>[]
  /** Returns the processors that read a type of fact. */
  readonly #readersOf: (type: string) => Readers
  /** The indices of the processors with an `onBlockEnd`. */
  readonly #judges: readonly number[]
  /**
   * The index of the processor that keeps the markets (pools and curves) of each token. -1 if the stage has
   * no such processor.
   */
  readonly #foldIndex: number
  readonly #states: TokenStates
  #outputs: TokenOutput<Types['derived']>[] = []
  readonly #answers: TokenAnswer<Types['answer']>[] = []
  readonly #reverted = new RevertedAnswers<Types['answer']>()
  #touched: Entry[] = []
  #awaiting: Readonly<{ entry: Entry; index: number }>[] = []
  #block: Block | null = null
  #lastTick: Tick | null = null
  /**
   * The reason why the facts after the last tick cannot follow that tick. Such facts belong to a new branch
   * of the chain. Null if the facts can follow the tick.
   */
  #misfit: string | null = null
  /** The token that the running processor handles. Records and timers of the processor are about this token. */
  #current: Entry | null = null

  constructor({ stage, processors }: WalkDependencies<Types>) {
    this.#stage = stage
    this.#processors = processors
    this.#states = new TokenStates(processors)
    this.#foldIndex = processors.findIndex(({ markets }) => markets)
    this.#contexts = processors.map((_, index) => this.#createContext(index))
    this.#readersOf = readersByType(processors)
    this.#judges = processors.flatMap((processor, index) => (processor.onBlockEnd ? [index] : []))
  }

  /**
   * Processes a fact. Facts come in chain order. A fact is skipped if its block is not later than the block
   * of the last tick. Such a fact belongs to a reorg, and the task replaces this walk at the tick that
   * reports the reorg.
   */
  onFact(token: string, fact: Types['fact']): void {
    const blockNumber = this.#stage.blockNumberOf(fact)
    if (this.#block === null || blockNumber !== this.#block.number) {
      const block = this.#stage.blockOf(fact)
      this.#misfit ??= misfitOf(block, this.#lastTick)
      if (this.#misfit !== null) return
      this.#beginBlock(block)
    }
    const entry = this.#current?.token === token ? this.#current : this.#states.entryOf(token)
    this.#current = entry
    if (entry.touchedBlock !== blockNumber) {
      entry.touchedBlock = blockNumber
      entry.readBy = 0
      this.#touched.push(entry)
      this.#states.use(entry)
    }
    const readers = this.#readersOf(fact.type)
    entry.readBy |= readers.bits
    for (const index of readers.indices)
      this.#processorAt(index).onFact?.(this.#states.stateOf(entry, index), fact, this.#contextAt(index))
  }

  /** Stores an answer (the result of a lookup) until the next tick. */
  onAnswer(token: string, answer: Types['answer']): void {
    this.#answers.push({ token, answer })
  }

  /**
   * Ends the time step that the tick closes. Returns the records of this time step in the order of emission.
   * With `dense`, the tick number `seq` must be the previous number plus 1. With `rising`, numbers may be
   * missing, because the caller skips the ticks of an abandoned branch.
   */
  onTick(tick: Tick, ticks: 'dense' | 'rising' = 'dense'): readonly TokenOutput<Types['derived']>[] {
    assert(this.#misfit === null, `tick ${tick.seq}: ${this.#misfit}`)
    if (ticks === 'dense') checkDense(tick, this.#lastTick)
    checkTick(tick, this.#lastTick, this.#block)
    this.#endBlock()
    this.#giveReverted(Number.POSITIVE_INFINITY, tick.blockAtMs)
    this.#block = null
    this.#wakeDueBefore(tick.blockAtMs)
    this.#giveAnswers(this.#answers.splice(0))
    this.#giveTick(tick)
    this.#lastTick = tick
    this.#states.advanceTo(tick.blockAtMs)
    this.#states.tidyQuiet()
    const outputs = this.#outputs
    this.#outputs = []
    return outputs
  }

  /** Ends a time step that a reorg reverted. */
  onRevertedTick(tick: Tick): void {
    this.#reverted.add({ tick, answers: this.#answers.splice(0) })
  }

  /**
   * Returns a snapshot of all states. Returns null before the first tick. Call this function only directly
   * after a tick.
   */
  snapshot(): WalkSnapshot | null {
    assert(this.#block === null && this.#answers.length === 0, 'a snapshot must not be taken inside a tick')
    const lastTick = this.#lastTick
    return lastTick && { lastTick, dictionary: this.#states.dictionary, tokens: this.#states.snapshots() }
  }

  /** Continues with the states of the snapshot. Call it only before the walk's first fact or tick. */
  restore(snapshot: WalkSnapshot): void {
    assert(
      this.#lastTick === null && this.#block === null,
      'a snapshot must not be restored into a walk that has begun',
    )
    this.#lastTick = snapshot.lastTick
    this.#states.advanceTo(snapshot.lastTick.blockAtMs)
    this.#states.restoreDictionary(snapshot.dictionary)
    for (const token of snapshot.tokens) this.#states.restore(token)
  }

  get lastTick(): Tick | null {
    return this.#lastTick
  }

  /** Returns the number of tokens that have state, and the number of pending timers. */
  counts(): Readonly<{ tokens: number; timers: number }> {
    return { tokens: this.#states.tokenCount, timers: this.#states.timerCount }
  }

  /**
   * Creates the context of a processor. All calls of the processor get this same object, so its functions use
   * the token of the current call.
   */
  #createContext(index: number): ProcessorContext<Types> {
    const current = (): Entry => this.#current ?? assert.fail('a processor used its context outside a call')
    const states = this.#states
    const followersOf = followersByType(this.#processors, index)
    const moversOf = moversByType(this.#processors, index)
    const marketsOf = (entry: Entry): Markets => {
      const fold = this.#processors[this.#foldIndex]
      if (fold?.markets === undefined)
        assert.fail('a rule used `markets`, but no processor of the stage follows the markets')
      return fold.markets(this.#states.stateOf(entry, this.#foldIndex))
    }
    return {
      get token() {
        return current().token
      },
      get touchedBlock() {
        return current().touchedBlock
      },
      get processedUntilMs() {
        return states.nowMs
      },
      emit: (record) => {
        const entry = current()
        this.#outputs.push({ token: entry.token, record })
        for (const behind of followersOf(record.type))
          this.#processorAt(behind).onDerived?.(this.#states.stateOf(entry, behind), record, this.#contextAt(behind))
      },
      wakeAt: (dueAtMs) => this.#states.schedule(current(), index, dueAtMs),
      awaitTick: () => {
        const entry = current()
        if (!this.#awaiting.some((known) => known.entry === entry && known.index === index))
          this.#awaiting.push({ entry, index })
      },
      get markets() {
        return marketsOf(current())
      },
      move: (move: Move) => {
        const entry = current()
        for (const behind of moversOf(move.type))
          this.#processorAt(behind).onMove?.(this.#states.stateOf(entry, behind), move, this.#contextAt(behind))
      },
    }
  }

  #processorAt(index: number): StageProcessor<Types> {
    return this.#processors[index] as StageProcessor<Types>
  }

  #contextAt(index: number): ProcessorContext<Types> {
    return this.#contexts[index] as ProcessorContext<Types>
  }

  #beginBlock(block: Block): void {
    checkBlock(block, this.#block)
    this.#endBlock()
    this.#giveReverted(block.number, block.atMs)
    this.#wakeDueBefore(block.atMs)
    this.#block = block
    this.#states.advanceTo(block.atMs)
  }

  #endBlock(): void {
    const block = this.#block
    if (block === null) return
    sortFew(this.#touched, (left, right) => left.token < right.token)
    for (const entry of this.#touched) {
      this.#current = entry
      for (const index of this.#judges)
        if ((entry.readBy & (1 << index)) !== 0)
          this.#processorAt(index).onBlockEnd?.(this.#states.stateOf(entry, index), block, this.#contextAt(index))
      this.#states.forgetIfEmpty(entry)
    }
    this.#touched = []
    this.#current = null
  }

  #wakeDueBefore(atMs: EpochMs): void {
    let last: Wake | null = null
    let intoThePast = 0
    for (let timer = this.#states.takeDueBefore(atMs); timer !== null; timer = this.#states.takeDueBefore(atMs)) {
      const { entry, dueAtMs, processorIndex } = timer
      const processor = this.#processorAt(processorIndex)
      intoThePast = last !== null && isIntoThePast(timer, last) ? intoThePast + 1 : 0
      if (intoThePast === 0) last = timer
      if (intoThePast >= wakesIntoThePastMax) assert.fail(`${processor.name} never stops setting timers in the past`)
      this.#current = entry
      processor.onWake?.(this.#states.stateOf(entry, processorIndex), dueAtMs, this.#contextAt(processorIndex))
      this.#states.forgetIfEmpty(entry)
    }
    this.#current = null
  }

  /** Calls `onTick` in the order in which processors called `awaitTick`. The log determines this order. */
  #giveTick(tick: Tick): void {
    for (const { entry, index } of this.#awaiting) {
      this.#current = entry
      this.#processorAt(index).onTick?.(this.#states.stateOf(entry, index), tick, this.#contextAt(index))
      this.#states.forgetIfEmpty(entry)
    }
    this.#awaiting = []
    this.#current = null
  }

  /** Gives the answers of reverted ticks before this block, each after the timers that were due before its tick. */
  #giveReverted(blockNumber: BlockNumber, blockAtMs: EpochMs): void {
    for (let step = this.#reverted.takeBefore(blockNumber); step; step = this.#reverted.takeBefore(blockNumber)) {
      const atMs = Math.min(Math.max(step.tick.blockAtMs, this.#states.nowMs), blockAtMs)
      this.#wakeDueBefore(atMs)
      this.#giveAnswers(step.answers)
      this.#states.advanceTo(atMs)
    }
  }

  #giveAnswers(answers: readonly TokenAnswer<Types['answer']>[]): void {
    for (const { token, answer } of answers) {
      const entry = this.#states.entryOf(token)
      this.#current = entry
      for (let index = 0; index < this.#processors.length; index++)
        this.#processorAt(index).onAnswer?.(this.#states.stateOf(entry, index), answer, this.#contextAt(index))
      this.#states.forgetIfEmpty(entry)
    }
    this.#current = null
  }
}
