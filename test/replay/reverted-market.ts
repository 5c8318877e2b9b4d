/** The test market on a chain that changes its mind: reverts of any depth, one upon another, and what is left of it all. */
import fc from 'fast-check'
import { createTestDriver } from '../../processors/runtime/test-driver.ts'
import type { TokenOutput } from '../../processors/runtime/walk.ts'
import { chainATopology } from '../../processors/topology.ts'
import type { ChainAFact, Tick } from '../../schemas/chain-a/facts.ts'
import { drive, lastRows, livingOf } from './living-log.ts'
import { answerTo, marketFacts, type Question } from './market-facts.ts'
import type { KeyedRecord } from './recut.ts'

/** What a revert does behind the base market's tick: `ofTicks` is where that stands, in thousandths of all ticks. */
export type RevertPlan = Readonly<{
  ofTicks: number
  /** Blocks before the head that go. */
  depth: number
  /** Blocks of those that the new branch does not have yet. */
  shortBy: number
  /** What becomes of each dead fact, in turn. */
  fates: readonly Fate[]
  isRehashed: boolean
}>

/** Mined again in its block, in a later one, or no more. */
export type Fate = 'same' | 'dropped' | Readonly<{ laterBy: number }>

const fate: fc.Arbitrary<Fate> = fc.oneof(
  { weight: 5, arbitrary: fc.constant('same' as const) },
  { weight: 1, arbitrary: fc.constant('dropped' as const) },
  { weight: 1, arbitrary: fc.record({ laterBy: fc.integer({ min: 1, max: 40 }) }) },
)

/** Shallow and deep, some right behind one another. */
export const revertPlans: fc.Arbitrary<readonly RevertPlan[]> = fc.array(
  fc.record({
    ofTicks: fc.oneof(fc.nat(999), fc.constantFrom(300, 301, 600)),
    depth: fc.oneof(fc.nat(5), fc.nat(90), fc.nat(4000)),
    shortBy: fc.oneof(fc.constant(0), fc.nat(60)),
    fates: fc.array(fate, { minLength: 1, maxLength: 30 }),
    isRehashed: fc.boolean(),
  }),
  { minLength: 1, maxLength: 5 },
)

type KeyedFact = Readonly<{ key: string; record: ChainAFact }>
type Branch = { facts: KeyedFact[]; ticks: Tick[] }

/** One partition's log of the market with these reverts in it, questions answered three ticks after each was first asked. */
export function revertedMarket(seed: number, plans: readonly RevertPlan[], tokenCount = 2): KeyedRecord[] {
  const base = marketFacts(seed, tokenCount).filter(({ record }) => record.type !== 'SendersAnswered')
  const tickCount = base.filter(({ record }) => record.type === 'Tick').length
  const plansAt = (index: number) => plans.filter(({ ofTicks }) => Math.floor((ofTicks * tickCount) / 1000) === index)
  const log: KeyedRecord[] = []
  const branch: Branch = { facts: [], ticks: [] }
  let late: KeyedFact[] = []
  const tell = (facts: readonly KeyedFact[], tick: Tick) => {
    const seq = (branch.ticks.at(-1)?.seq ?? 0) + 1
    branch.facts.push(...facts)
    branch.ticks.push({ ...tick, seq })
    log.push(...facts, { key: 'tick', record: { type: 'Tick', data: { ...tick, seq } } })
  }
  let open: KeyedFact[] = []
  for (const { key, record } of base) {
    if (record.type !== 'Tick') {
      open.push({ key, record: record as ChainAFact })
      continue
    }
    tell([...late, ...open], record.data)
    open = []
    late = []
    for (const plan of plansAt(record.data.seq)) late = revert({ branch, late, tell }, plan)
  }
  return answered(log)
}

type Telling = Readonly<{ branch: Branch; late: KeyedFact[]; tell: (facts: readonly KeyedFact[], tick: Tick) => void }>

/** Tells the new branch as far as it goes and returns what comes behind it. */
function revert({ branch, late, tell }: Telling, plan: RevertPlan): KeyedFact[] {
  const head = branch.ticks.at(-1) as Tick
  const revertedFrom = Math.max(1, head.blockNumber - plan.depth)
  const shortBy = Math.min(plan.shortBy, head.blockNumber - revertedFrom + 1)
  const isDead = ({ record }: KeyedFact) => record.data.blockNumber >= revertedFrom
  const dead = branch.facts.filter(isDead)
  branch.facts = branch.facts.filter((fact) => !isDead(fact))
  const reborn = dead.flatMap((fact, index) => rebornAs(fact, plan, index))
  const isTold = ({ record }: KeyedFact) => record.data.blockNumber <= head.blockNumber - shortBy
  const isInTime = ({ record }: KeyedFact) => record.data.blockNumber <= head.blockNumber
  const facts = inOrder([...reborn, ...late].filter(isInTime))
  tell(facts.filter(isTold), {
    ...head,
    revertedFrom,
    blockNumber: head.blockNumber - shortBy,
    blockAtMs: head.blockAtMs - shortBy * 1000,
    blockHash: `0x${(head.seq + 0xbeef).toString(16).padStart(64, '0')}`,
  })
  return facts.filter((fact) => !isTold(fact))
}

function rebornAs({ key, record }: KeyedFact, { fates, isRehashed }: RevertPlan, index: number): KeyedFact[] {
  const its = fates[index % fates.length] ?? 'same'
  if (its === 'dropped') return []
  const laterBy = its === 'same' ? 0 : its.laterBy
  const { blockNumber, blockAtMs, blockHash } = record.data
  const moved = {
    blockNumber: blockNumber + laterBy,
    blockAtMs: blockAtMs + laterBy * 1000,
    blockHash: isRehashed ? (`0x${(blockNumber + 0xab0000).toString(16).padStart(64, '0')}` as const) : blockHash,
  }
  return [{ key, record: { ...record, data: { ...record.data, ...moved } } as ChainAFact }]
}

const inOrder = (facts: KeyedFact[]): KeyedFact[] =>
  facts.sort((left, right) => left.record.data.blockNumber - right.record.data.blockNumber)

/** With the answers of a lookup that answers each question of a revision once, and again when it was withdrawn meanwhile. */
function answered(records: readonly KeyedRecord[]): KeyedRecord[] {
  const log: KeyedRecord[] = []
  const due = new Map<number, KeyedRecord[]>()
  let asked = new Set<string>()
  let driver = createTestDriver(chainATopology)
  const ask = (questions: readonly Question[], seq: number) => {
    for (const question of questions) {
      if (asked.has(nameOf(question))) continue
      asked.add(nameOf(question))
      due.set(seq + 3, [...(due.get(seq + 3) ?? []), answerTo(question)])
    }
  }
  for (const keyed of records) {
    const { record } = keyed
    if (record.type !== 'Tick') {
      log.push(keyed)
      drive(driver, [keyed])
      continue
    }
    const { seq, revertedFrom } = record.data
    log.push(...(due.get(seq) ?? []), keyed)
    if (revertedFrom === null) {
      ask(questionsOf(drive(driver, [keyed])), seq)
      continue
    }
    driver = createTestDriver(chainATopology)
    const questions = questionsOf(lastRows(drive(driver, livingOf(log))))
    const names = new Set(questions.map(nameOf))
    asked = new Set([...asked].filter((name) => names.has(name)))
    ask(questions, seq)
  }
  return log
}

const nameOf = ({ asked }: Question): string => `${asked.questionId}#${asked.revision}`

const questionsOf = (outputs: Iterable<TokenOutput>): Question[] =>
  [...outputs].flatMap(({ token, record }) => (record.type === 'SendersAsked' ? [{ token, asked: record.data }] : []))
