/**
 * Turns a log of one partition into a log with reorgs of any depth. Several reorgs can follow each other
 * directly.
 */
import fc from 'fast-check'
import { type BlockFields, isTick, type Stage, type StageRecord, type StageTypes } from '../../../schemas/stage.ts'
import type { Tick } from '../../../schemas/tick.ts'
import type { Hex } from '../../../schemas/units.ts'
import { isFact, type KeyedRecord, lastSeqOf } from '../keyed-record.ts'

export type ReorgPlan = Readonly<{
  /** The position of the tick after which the reorg happens, in thousandths of all ticks. */
  ofTicks: number
  /** The number of blocks before the head that the reorg removes. */
  depth: number
  /**
   * The number of blocks by which the new branch is shorter at first. The missing blocks come with the next
   * tick.
   */
  shortBy: number
  /** The fates of the removed facts. The first fact gets the first fate, and the list repeats. */
  fates: readonly Fate[]
  /** True: the blocks get other hashes. */
  isRehashed: boolean
}>

/**
 * `same`: the fact is mined again in its block. `laterBy`: it is mined this number of blocks later.
 * `dropped`: it is not mined again.
 */
export type Fate = 'same' | 'dropped' | Readonly<{ laterBy: number }>

const fate: fc.Arbitrary<Fate> = fc.oneof(
  { weight: 4, arbitrary: fc.constant('same' as const) },
  { weight: 1, arbitrary: fc.constant('dropped' as const) },
  { weight: 1, arbitrary: fc.record({ laterBy: fc.integer({ min: 1, max: 40 }) }) },
)

/** Draws random plans of these depths. Some reorgs follow each other directly. */
export const reorgPlans = (depth: fc.Arbitrary<number>): fc.Arbitrary<readonly ReorgPlan[]> =>
  fc.array(
    fc.record({
      ofTicks: fc.oneof(fc.nat(999), fc.constantFrom(300, 301, 600)),
      depth,
      shortBy: fc.oneof(fc.constant(0), fc.nat(60)),
      fates: fc.array(fate, { minLength: 1, maxLength: 30 }),
      isRehashed: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  )

/** A stage whose facts contain their block. */
type ChainTypes = StageTypes & Readonly<{ fact: StageRecord & Readonly<{ data: BlockFields }> }>
type KeyedFact<Types extends ChainTypes> = Readonly<{ key: string; record: Types['fact'] }>

/**
 * Returns the log that ingest would have written. Ticks are numbered from 1, and answers keep their position.
 */
export function withReorgs<Types extends ChainTypes>(
  stage: Stage<Types>,
  base: readonly KeyedRecord<NoInfer<Types>>[],
  plans: readonly ReorgPlan[],
): KeyedRecord<Types>[] {
  const teller = new Teller<Types>(clockOf(stage, base))
  const tickCount = lastSeqOf(base)
  const plansAt = (index: number) => plans.filter(({ ofTicks }) => Math.floor((ofTicks * tickCount) / 1000) === index)
  let index = 0
  for (const { key, record } of base) {
    if (isTick(record)) {
      teller.tell(record.data)
      for (const plan of plansAt(index)) teller.reorg(plan)
      index += 1
    } else if (isFact(stage, record)) teller.hear({ key, record })
    else teller.log.push({ key, record })
  }
  return teller.log
}

class Teller<Types extends ChainTypes> {
  readonly log: KeyedRecord<Types>[] = []
  readonly #atMsOf: (blockNumber: number) => number
  #branch: KeyedFact<Types>[] = []
  /** The facts that are not yet in the log, sorted by block. */
  #waiting: KeyedFact<Types>[] = []
  #head: Tick | null = null

  constructor(atMsOf: (blockNumber: number) => number) {
    this.#atMsOf = atMsOf
  }

  hear(fact: KeyedFact<Types>): void {
    this.#waiting.push(fact)
  }

  /** Appends the waiting facts up to the tick's block, and then the tick. */
  tell(tick: Tick): void {
    const isTold = ({ record }: KeyedFact<Types>) => record.data.blockNumber <= tick.blockNumber
    const facts = this.#waiting.filter(isTold)
    this.#waiting = this.#waiting.filter((fact) => !isTold(fact))
    this.#branch.push(...facts)
    this.#head = { ...tick, seq: (this.#head?.seq ?? 0) + 1 }
    this.log.push(...facts, { key: 'tick', record: { type: 'Tick', data: this.#head } })
  }

  reorg(plan: ReorgPlan): void {
    const head = this.#head as Tick
    const revertedFrom = Math.max(1, head.blockNumber - plan.depth)
    const isDead = ({ record }: KeyedFact<Types>) => record.data.blockNumber >= revertedFrom
    const reborn = this.#branch.filter(isDead).flatMap((fact, index) => this.#reborn(fact, plan, index))
    this.#branch = this.#branch.filter((fact) => !isDead(fact))
    const isInTime = ({ record }: KeyedFact<Types>) => record.data.blockNumber <= head.blockNumber
    this.#waiting = [...reborn.filter(isInTime), ...this.#waiting].sort(byBlock)
    const blockNumber = Math.max(revertedFrom - 1, head.blockNumber - plan.shortBy)
    const blockHash = hashOf(0xbeef_0000 + head.seq)
    this.tell({ ...head, revertedFrom, blockNumber, blockHash, blockAtMs: this.#atMsOf(blockNumber) })
  }

  #reborn({ key, record }: KeyedFact<Types>, { fates, isRehashed }: ReorgPlan, index: number): KeyedFact<Types>[] {
    const its = fates[index % fates.length] ?? 'same'
    if (its === 'dropped') return []
    const blockNumber = record.data.blockNumber + (its === 'same' ? 0 : its.laterBy)
    // Each reorg gives other hashes.
    const branch = 0xab_0000 + (this.#head?.seq ?? 0)
    const blockHash = isRehashed ? hashOf(branch * 2 ** 24 + blockNumber) : record.data.blockHash
    const moved = { blockNumber, blockAtMs: this.#atMsOf(blockNumber), blockHash }
    return [{ key, record: { ...record, data: { ...record.data, ...moved } } }]
  }
}

const byBlock = <Types extends ChainTypes>(left: KeyedFact<Types>, right: KeyedFact<Types>): number =>
  left.record.data.blockNumber - right.record.data.blockNumber

const hashOf = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`

/**
 * Returns a function for the time of a block. A block that the log does not have gets the time of the block
 * before it.
 */
function clockOf<Types extends ChainTypes>(
  stage: Stage<Types>,
  base: readonly KeyedRecord<Types>[],
): (blockNumber: number) => number {
  const known = base.flatMap(({ record }): BlockFields[] =>
    isTick(record) || isFact(stage, record) ? [record.data] : [],
  )
  known.sort((left, right) => left.blockNumber - right.blockNumber)
  return (blockNumber) => (known.findLast((its) => its.blockNumber <= blockNumber) ?? known[0])?.blockAtMs ?? 0
}
