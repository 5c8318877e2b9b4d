import assert from 'node:assert/strict'
import type { ScannerGrade } from '../../../schemas/calls/derived.ts'
import type { CardRead, CardReadings } from '../../../schemas/calls/facts.ts'
import { type GradeRules, gradedFields, gradeTable } from '../../../schemas/calls/grades.ts'
import type { RowKey, StageRecord } from '../../../schemas/stage.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import type { Processor, ProcessorContext } from '../../processor.ts'
import { gradeOf, isSilent, mostCautious, penaltiesOf, scoreOf } from './grade.ts'

/** The types of the processor. It reads no facts of a chain, so any chain can use it. */
type GradeTypes = Readonly<{
  fact: StageRecord
  answer: StageRecord
  derived: Readonly<{ type: 'ScannerGrade'; data: ScannerGrade }>
  key: RowKey
}>

/** The newest version of the newest card (token summary) by one bot. */
type Reading = Readonly<{
  /** The time at which the card was posted or last edited. */
  shownAtMs: EpochMs
  chat: string
  post: number
  readings: CardReadings
}>

type GradesState = {
  /** The start of the current row, which is the time of its first card. Null: all cards have expired. */
  gradedSinceMs: EpochMs | null
  byBot: Map<string, Reading>
}

/**
 * The maximum number of bots whose cards are used for one token. Cards of further bots are ignored. Ingest
 * can read the cards of fewer bots than this number.
 */
const botsMax = 32

/**
 * Creates the processor that grades the holder structure of a token from the cards (token summaries) of bots.
 * It emits a grade at each card with new content, and when a card expires while others remain.
 */
export const createGrades = (rules: GradeRules) =>
  ({
    name: 'grades',
    initialState: (): GradesState => ({ gradedSinceMs: null, byBot: new Map() }),
    onAnswer(state, answer, context) {
      if (isCard(answer) && takeCard(state, answer.data, { rules, context })) publish(state, { rules, context })
    },
    onWake(state, dueAtMs, context) {
      let hasRunOut = false
      for (const [bot, { shownAtMs }] of state.byBot)
        if (shownAtMs + rules.cardMs <= dueAtMs) hasRunOut = state.byBot.delete(bot)
      if (state.byBot.size === 0) state.gradedSinceMs = null
      else if (hasRunOut) publish(state, { rules, context })
    },
    isEmpty: (state) => state.byBot.size === 0,
  }) satisfies Processor<GradesState, GradeTypes>

export const grades = createGrades(gradeTable)

/** The rules, and the context of the current call. */
type RuleContext = Readonly<{ rules: GradeRules; context: ProcessorContext<GradeTypes> }>

type CardRecord = Readonly<{ type: 'CardRead'; data: CardRead }>
const isCard = (answer: StageRecord): answer is CardRecord => answer.type === 'CardRead'

/**
 * Stores a card. Returns false if the card is ignored, for one of these reasons:
 * - No graded field has a value.
 * - The card was already expired when ingest read it.
 * - The stored card of this bot is newer or equal.
 * - The token already has cards of `botsMax` other bots.
 */
function takeCard(state: GradesState, card: CardRead, { rules: { cardMs }, context }: RuleContext): boolean {
  const { bot, chat, post } = card
  const shownAtMs = card.editedAtMs ?? card.postedAtMs
  const readings = readingsOf(card)
  if (isSilent(readings) || card.seenAtMs - shownAtMs >= cardMs) return false
  const known = state.byBot.get(bot)
  if (known ? !isNews({ shownAtMs, chat, post, readings }, known) : state.byBot.size >= botsMax) return false
  state.byBot.set(bot, { shownAtMs, chat, post, readings })
  state.gradedSinceMs ??= shownAtMs
  context.wakeAt(shownAtMs + cardMs)
  return true
}

const readingsOf = (card: CardRead): CardReadings =>
  Object.fromEntries(gradedFields.map((field) => [field, card[field]])) as CardReadings

/**
 * Returns whether the card replaces the stored card of its bot. Cards are ordered by time, then by chat, then
 * by post. If all three are equal, a card with other readings replaces the stored card.
 */
function isNews(card: Reading, known: Reading): boolean {
  if (card.shownAtMs !== known.shownAtMs) return card.shownAtMs > known.shownAtMs
  if (card.chat !== known.chat) return card.chat > known.chat
  if (card.post !== known.post) return card.post > known.post
  return gradedFields.some((field) => card.readings[field] !== known.readings[field])
}

function publish({ gradedSinceMs, byBot }: GradesState, { rules, context }: RuleContext): void {
  assert(gradedSinceMs !== null, 'a row must begin before its first card is in force')
  const inForce = [...byBot.values()]
  const readings = mostCautious(inForce.map((card) => card.readings))
  const penalties = penaltiesOf(readings, rules)
  const score = scoreOf(penalties)
  const data: ScannerGrade = {
    gradedSinceMs,
    lastCardAtMs: Math.max(...inForce.map(({ shownAtMs }) => shownAtMs)),
    grade: gradeOf(score, rules),
    score,
    ...readings,
    penalties,
    bots: [...byBot.keys()].sort(),
    cards: byBot.size,
  }
  context.emit({ type: 'ScannerGrade', data })
}
