/**
 * Runs processors without a log, synchronously, with a clock advanced by hand: the walk of production, the same order,
 * nothing else. Facts are walked as they are piped; what they give is read after the tick that closes them.
 *
 *   const driver = createTestDriver([pools, bursts])
 *   driver.fact(token, buildPoolCreated({ pool }))
 *   driver.fact(token, buildSwap({ pool, blockAtMs }))
 *   driver.tick(blockAtMs)       // the records of this tick, in order of emission
 *   driver.tick(laterAtMs)       // a silent chain: only timers due strictly before laterAtMs
 */
import { deserialize, serialize } from 'node:v8'
import type { ChainAAnswer, ChainAFact } from '../../schemas/chain-a/facts.ts'
import { rulesVersion } from '../../schemas/chain-a/rules.ts'
import type { Tick } from '../../schemas/tick.ts'
import type { Processor } from '../processor.ts'
import type { Token } from './token-book.ts'
import { createWalk, type TokenOutput, type WalkSnapshot } from './walk.ts'

export type TestDriver = Readonly<{
  /** Pipes a fact. Blocks must not go back, and must lie behind the last tick: the next one fails otherwise. */
  fact(token: Token, fact: ChainAFact): void
  /** Gives an answer; its processors see it at the next tick. */
  answer(token: Token, answer: ChainAAnswer): void
  /** Closes the block in hand and advances block time to `atMs` (known at the same instant); returns what came of it. */
  tick(atMs: number, fields?: Partial<Tick>): readonly TokenOutput[]
  /** All that was emitted so far, in order. */
  outputs(): readonly TokenOutput[]
  /** How many tokens are remembered and how many wakes are pending. */
  counts(): Readonly<{ tokens: number; timers: number }>
  /** Only right after a tick: stores all state as a snapshot would and goes on from the copy. Changes nothing, or a state is no plain data. */
  restart(): void
}>

export function createTestDriver(processors: readonly Processor[]): TestDriver {
  let walk = createWalk(processors)
  const emitted: TokenOutput[] = []
  let last: Tick | null = null
  let head: Pick<Tick, 'blockNumber' | 'blockHash'> = {
    blockNumber: 0,
    blockHash: '0x00',
  }

  return {
    fact(token, fact) {
      head = {
        blockNumber: fact.data.blockNumber,
        blockHash: fact.data.blockHash,
      }
      walk.onRecord(token, fact)
    },
    answer: (token, answer) => walk.onRecord(token, answer),
    tick(atMs, fields = {}) {
      last = {
        ...firstTick,
        ...head,
        seq: (last?.seq ?? 0) + 1,
        knownAtMs: atMs,
        blockAtMs: atMs,
        ...fields,
      }
      const closed = walk.onTick(last)
      for (const output of closed) emitted.push(output)
      return closed
    },
    outputs: () => emitted,
    counts: () => walk.counts(),
    restart() {
      const snapshot = walk.snapshot()
      walk = createWalk(processors)
      if (snapshot) walk.restore(copyOf(snapshot))
    },
  }
}

const firstTick: Tick = {
  seq: 1,
  knownAtMs: 0,
  blockNumber: 0,
  blockHash: '0x00',
  blockAtMs: 0,
  ethUsd: null,
  ethUsdAtMs: null,
  rulesVersion,
  revertedFrom: null,
  source: 'simulated',
}

const copyOf = ({ lastTick, tokens }: WalkSnapshot): WalkSnapshot =>
  deserialize(serialize({ lastTick, tokens: [...tokens] }))
