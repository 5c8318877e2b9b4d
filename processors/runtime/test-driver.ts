/**
 * Runs processors without a log, synchronously, with a clock that the test advances. It uses the same walk as production,
 * so everything happens in the same order. `tick` returns the derived records of the facts before it. Guide: infra/docs/test-driver.md.
 *
 *   const driver = createTestDriver({ stage, processors: [pools, bursts] })
 *   driver.fact(token, buildPoolCreated({ pool }))
 *   driver.fact(token, buildSwap({ pool, blockAtMs }))
 *   driver.tick(blockAtMs)       // the records of this tick, in order of emission
 *   driver.tick(laterAtMs)       // no facts: only the timers that are due strictly before laterAtMs
 */
import { deserialize, serialize } from 'node:v8'
import type { StageTypes } from '../../schemas/stage.ts'
import type { Tick } from '../../schemas/tick.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { TokenOutput, WalkSnapshot } from './token-entry.ts'
import { createWalk, type WalkDependencies } from './walk.ts'

export type TestDriver<Types extends StageTypes> = Readonly<{
  /**
   * Adds a fact. Throws if its block number is lower than the block number of the previous fact. The next
   * tick throws if the fact's block number is not higher than the block number of the last tick.
   */
  fact(token: string, fact: Types['fact']): void
  /**
   * Adds an answer (the result of a lookup, such as a request to the node). Processors receive the answer at
   * the next tick.
   */
  answer(token: string, answer: Types['answer']): void
  /**
   * Ends the current block, advances block time to `atMs` and returns the new records. The tick's `knownAtMs`
   * is `atMs` too.
   */
  tick(atMs: EpochMs, fields?: Partial<Tick>): readonly TokenOutput<Types['derived']>[]
  /** Passes a tick that a reorg reverted. */
  revertedTick(tick: Tick): void
  /** Returns the records of all ticks, in order. */
  outputs(): readonly TokenOutput<Types['derived']>[]
  /** Returns the number of tokens that have state, and the number of pending timers. */
  counts(): Readonly<{ tokens: number; timers: number }>
  /**
   * Serialises all states as a snapshot does, and continues with the restored copy. Call this function right
   * after a tick. If a restart changes the results of a test, some state is not plain data.
   */
  restart(): void
}>

export function createTestDriver<Types extends StageTypes>(dependencies: WalkDependencies<Types>): TestDriver<Types> {
  const { stage } = dependencies
  let walk = createWalk(dependencies)
  const emitted: TokenOutput<Types['derived']>[] = []
  let last: Tick | null = null
  let head: Head = { blockNumber: 0, blockHash: '0x00' }

  return {
    fact(token, fact) {
      const { number, hash } = stage.blockOf(fact)
      head = { blockNumber: number, blockHash: hash }
      walk.onFact(token, fact)
    },
    answer: (token, answer) => walk.onAnswer(token, answer),
    tick(atMs, fields) {
      const { rulesVersion } = stage
      last = Object.assign(plainTick(atMs, (last?.seq ?? 0) + 1, { rulesVersion, head }), fields)
      const closed = walk.onTick(last)
      for (const output of closed) emitted.push(output)
      return closed
    },
    revertedTick: (tick) => walk.onRevertedTick(tick),
    outputs: () => emitted,
    counts: () => walk.counts(),
    restart() {
      const snapshot = walk.snapshot()
      walk = createWalk(dependencies)
      if (snapshot) walk.restore(copyOf(snapshot))
    },
  }
}

type Head = Pick<Tick, 'blockNumber' | 'blockHash'>
type Context = Readonly<{ rulesVersion: string; head: Head }>

/** Names each field: tests make millions of ticks, and a spread of several objects takes many times as long. */
const plainTick = (atMs: EpochMs, seq: number, { rulesVersion, head }: Context): Tick => ({
  seq,
  knownAtMs: atMs,
  blockNumber: head.blockNumber,
  blockHash: head.blockHash,
  blockAtMs: atMs,
  ethUsd: null,
  ethUsdAtMs: null,
  rulesVersion,
  revertedFrom: null,
  source: 'simulated',
})

const copyOf = ({ tokens, ...head }: WalkSnapshot): WalkSnapshot =>
  deserialize(serialize({ ...head, tokens: [...tokens] }))
