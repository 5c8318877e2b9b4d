/** Builds facts, ticks and random logs of the toy stage. */
import fc from 'fast-check'
import type { Tick } from '../../../schemas/tick.ts'
import { buildHash, second, testStartAtMs } from '../../support/builders/build-facts.ts'
import type { KeyedRecord } from '../keyed-record.ts'
import { type ToyTypes, toyStage } from './toy-records.ts'

type Block = Readonly<{ blockAtMs: number; blockNumber?: number }>

/** Default: one block per second. */
const blockOf = ({ blockAtMs, blockNumber = 1000 + Math.floor((blockAtMs - testStartAtMs) / 1000) }: Block) => ({
  blockAtMs,
  blockNumber,
  blockHash: buildHash(blockNumber),
})

export const paidIn = ({ amount = 1n, ...block }: Block & Readonly<{ amount?: bigint }>): ToyTypes['fact'] => ({
  type: 'PaidIn',
  data: { amount, ...blockOf(block) },
})

export const opened = (block: Block): ToyTypes['fact'] => ({ type: 'Opened', data: blockOf(block) })

export const rateAnswered = (questionId: string, answeredAtMs = testStartAtMs): ToyTypes['answer'] => ({
  type: 'RateAnswered',
  data: { questionId, answeredAtMs },
})

/** Builds a tick. `blockAtMs` sets the block and, by default, `knownAtMs`. */
export function toyTick({ blockAtMs = testStartAtMs, ...fields }: Partial<Tick> = {}): Tick {
  return {
    seq: 1,
    knownAtMs: blockAtMs,
    ethUsd: null,
    ethUsdAtMs: null,
    rulesVersion: toyStage.rulesVersion,
    revertedFrom: null,
    source: 'simulated',
    ...blockOf({ blockAtMs, ...fields }),
    ...fields,
  }
}

const accounts = ['ada', 'bob', 'cyd', 'dan'] as const

const blockShape = fc.record({
  gapSeconds: fc.nat(6),
  payers: fc.array(fc.nat(3), { maxLength: 4 }),
  hasTick: fc.boolean(),
  answersPayer: fc.option(fc.nat(3), { freq: 4 }),
})

/**
 * Draws the facts of a partition: blocks with payments to four accounts. Several blocks may have the same
 * time. Some blocks have a tick, and the last block always has one.
 */
export const randomFacts = (
  options: Readonly<{ hasAnswers: boolean }>,
): fc.Arbitrary<readonly KeyedRecord<ToyTypes>[]> =>
  fc.array(blockShape, { minLength: 1, maxLength: 25 }).map((blocks) => {
    const records: KeyedRecord<ToyTypes>[] = []
    const accountOf = (index: number) => accounts[index] ?? ''
    let atSecond = 0
    let seq = 0
    for (const [index, { gapSeconds, payers, hasTick, answersPayer }] of blocks.entries()) {
      atSecond += gapSeconds
      const block = { blockAtMs: second(atSecond), blockNumber: 100 + index }
      for (const payer of payers)
        records.push({ key: accountOf(payer), record: paidIn({ ...block, amount: BigInt(payer + 1) }) })
      if (options.hasAnswers && answersPayer !== null)
        records.push({ key: accountOf(answersPayer), record: rateAnswered('q', second(atSecond)) })
      if (hasTick || index === blocks.length - 1)
        records.push({ key: 'tick', record: { type: 'Tick', data: toyTick({ ...block, seq: ++seq }) } })
    }
    return records
  })
