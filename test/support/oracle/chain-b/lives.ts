/** The facts of a log, by mint and by the time that the mint is tracked. */
import { type ChainBAnswer, type ChainBFact, type HoldersAnswer, isAnswer } from '../../../../schemas/chain-b/facts.ts'
import type { TickRecord } from '../../../../schemas/stage.ts'
import type { OracleRules } from './oracle-rules.ts'

export type LogRecord = Readonly<{ key: string; record: ChainBFact | ChainBAnswer | TickRecord }>

type FactOf<Type extends ChainBFact['type']> = Extract<ChainBFact, { type: Type }>
export type Traded = FactOf<'CurveTraded'>['data']

/** An answer, and the tick that it stood before. */
export type Answered = Readonly<{ data: HoldersAnswer['data']; tickSlot: number; tickAtMs: number }>

/**
 * From an opening of a mint to its close. Nothing is derived of it that is due at `untilMs` or later. `closedAtMs` is null if
 * it was found anew before, or if the log ends.
 */
export type Life = Readonly<{
  mint: string
  opening: FactOf<'CurveLaunched' | 'CurveFound'>
  launchAtMs: number | null
  facts: readonly ChainBFact[]
  completed: Readonly<{ atMs: number; slot: number }> | null
  closedAtMs: number | null
  untilMs: number
  answers: readonly Answered[]
}>

export const tradesOf = ({ facts }: Life): readonly Traded[] =>
  facts.flatMap((fact) => (fact.type === 'CurveTraded' ? [fact.data] : []))

const isLate = (fact: ChainBFact): boolean => 'lateAtMs' in fact.data && fact.data.lateAtMs !== null

const isCompletion = (fact: ChainBFact): boolean =>
  fact.type === 'CurveCompleted' ||
  fact.type === 'CurveMigrated' ||
  (fact.type === 'CurveTraded' && fact.data.realTokenRaw <= 0n)

export function livesIn(log: readonly LogRecord[], rules: OracleRules): readonly Life[] {
  const facts = new Map<string, ChainBFact[]>()
  const answers = new Map<string, Answered[]>()
  let open: Readonly<{ key: string; data: HoldersAnswer['data'] }>[] = []
  let endMs = 0
  for (const { key, record } of log) {
    if (record.type === 'Tick') {
      const { blockNumber: tickSlot, blockAtMs: tickAtMs } = record.data
      for (const { key: mint, data } of open)
        answers.set(mint, [...(answers.get(mint) ?? []), { data, tickSlot, tickAtMs }])
      open = []
      endMs = tickAtMs
    } else if (record.type === 'HoldersAnswered') open.push({ key, data: record.data })
    else if (!isAnswer(record)) facts.set(key, [...(facts.get(key) ?? []), record])
  }
  return [...facts].flatMap(([mint, its]) =>
    livesOf({ mint, facts: its, endMs, answers: answers.get(mint) ?? [] }, rules),
  )
}

type Mint = Readonly<{ mint: string; facts: readonly ChainBFact[]; endMs: number; answers: readonly Answered[] }>

function livesOf(mint: Mint, rules: OracleRules): readonly Life[] {
  const facts = mint.facts.filter((fact) => rules.lateFactsCount || !isLate(fact))
  const lives: Life[] = []
  let from = 0
  while (from < facts.length) {
    const opening = facts[from]
    if (opening?.type !== 'CurveLaunched' && opening?.type !== 'CurveFound') from += 1
    else {
      const { its, closeAtMs, next } = lifeFrom(facts, from, rules)
      const after = facts[next]
      const again = after !== undefined && after.data.blockAtMs <= closeAtMs ? after.data : null
      lives.push(lifeOf({ mint, opening, its, closeAtMs, again }))
      from = next
    }
  }
  return lives
}

type Found = Readonly<{
  mint: Mint
  opening: Life['opening']
  its: readonly ChainBFact[]
  closeAtMs: number
  /** The find that ends this life. */
  again: ChainBFact['data'] | null
}>

function lifeOf({ mint: { mint, endMs, answers }, opening, its, closeAtMs, again }: Found): Life {
  const facts = its.filter(({ data }) => again === null || data.blockNumber < again.blockNumber)
  const completion = facts.find(isCompletion)?.data
  const isInLife = ({ tickSlot, tickAtMs }: Answered): boolean =>
    again === null ? tickAtMs <= closeAtMs : tickSlot < again.blockNumber
  return {
    mint,
    opening,
    launchAtMs: opening.type === 'CurveLaunched' ? opening.data.blockAtMs : opening.data.launchAtMs,
    facts,
    completed: completion === undefined ? null : { atMs: completion.blockAtMs, slot: completion.blockNumber },
    closedAtMs: again === null && closeAtMs < endMs ? closeAtMs : null,
    untilMs: Math.min(closeAtMs, again?.blockAtMs ?? endMs, endMs),
    answers: answers.filter(isInLife),
  }
}

/** The facts until the mint is closed or found anew, and where the next life may begin. */
function lifeFrom(facts: readonly ChainBFact[], from: number, rules: OracleRules) {
  const its: ChainBFact[] = []
  let closeAtMs = Number.POSITIVE_INFINITY
  let isComplete = false
  let next = from
  for (; next < facts.length; next++) {
    const fact = facts[next] as ChainBFact
    const { blockAtMs } = fact.data
    if (blockAtMs > closeAtMs || (next > from && fact.type === 'CurveFound')) break
    its.push(fact)
    const isAboutGaps = fact.type === 'GapFound' || fact.type === 'GapRepaired'
    if (isComplete || isAboutGaps) continue
    isComplete = isCompletion(fact)
    closeAtMs = blockAtMs + (isComplete ? rules.graduatedLifeMs : rules.idleLifeMs)
  }
  return { its, closeAtMs, next }
}
