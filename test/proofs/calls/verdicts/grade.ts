/** Computes the grade of a mint from its scanner cards (posts of bots with figures about the mint). */
import type { CardRead } from '../../../../schemas/calls/facts.ts'
import { gradeOf } from '../../../support/oracle/calls/grade.ts'
import { type Cards, lookBackMs } from './rules.ts'

const counts = new Set(['snipers', 'bundlers', 'holders'])
const bands = [
  { grade: 'A', minScore: 85 },
  { grade: 'B', minScore: 70 },
  { grade: 'C', minScore: 55 },
  { grade: 'D', minScore: 40 },
]

const rulesIn = (cards: Cards) =>
  Object.entries(cards).flatMap(([field, steps]) => steps.map(([limit, points]) => ({ field, limit, points })))

type Reading = Readonly<Record<string, unknown>> & CardRead
const shownAt = ({ editedAtMs, postedAtMs }: CardRead): number => editedAtMs ?? postedAtMs

/** `known` are the cards in the order in which they were read. */
export function gradeAt(
  known: readonly CardRead[],
  { blockAtMs, cards }: Readonly<{ blockAtMs: number; cards: Cards }>,
) {
  const fields = Object.keys(cards)
  const readingOf = (card: CardRead, field: string) => (card as Reading)[field] as number | null
  const telling = known.filter(
    (card) => card.seenAtMs - shownAt(card) < lookBackMs && fields.some((field) => readingOf(card, field) !== null),
  )
  const byBot = new Map<string, CardRead>()
  for (const card of telling) {
    const before = byBot.get(card.bot)
    if (before === undefined || !isOlder(card, before)) byBot.set(card.bot, card)
  }
  const inForce = [...byBot.values()].filter((card) => shownAt(card) > blockAtMs - lookBackMs)
  if (inForce.length === 0) return null
  const worst = (field: string): number | null => {
    const values = inForce.map((card) => readingOf(card, field)).filter((value) => value !== null)
    if (values.length === 0) return null
    const value = field === 'holders' ? Math.min(...values) : Math.max(...values)
    return counts.has(field) ? value : Math.min(1, Math.max(0, value))
  }
  const readings = Object.fromEntries(fields.map((field) => [field, worst(field)] as const))
  return {
    ...{ fields: readings, ...gradeOf(readings, { rules: rulesIn(cards), bands }) },
    ...{ bots: inForce.map(({ bot }) => bot).sort(), cards: inForce.length },
    lastCardAt: Math.max(...inForce.map(shownAt)),
  }
}

function isOlder(card: CardRead, than: CardRead): boolean {
  if (shownAt(card) !== shownAt(than)) return shownAt(card) < shownAt(than)
  return card.chat !== than.chat ? card.chat < than.chat : card.post < than.post
}
