/** The grade of a mint from the scanner cards that are in force. */
import type { CardRead } from '../../../../schemas/calls/facts.ts'
import { type Cards, lookBackMs } from './rules.ts'

const counts = new Set(['snipers', 'bundlers', 'holders'])
const bands = [
  ['A', 85],
  ['B', 70],
  ['C', 55],
  ['D', 40],
] as const

type Reading = Readonly<Record<string, unknown>> & CardRead
const shownAt = ({ editedAtMs, postedAtMs }: CardRead): number => editedAtMs ?? postedAtMs

/** `known`: in the order in which they were read. */
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
  const penalties = fields.flatMap((field) => {
    const value = readings[field] ?? null
    const fits = (limit: number) => value !== null && (field === 'holders' ? value < limit : value >= limit)
    const [limit, points] = (cards[field] ?? []).findLast(([its]) => fits(its)) ?? []
    return limit === undefined ? [] : [{ field, value, limit, points }]
  })
  const score = Math.max(0, 100 - penalties.reduce((sum, { points }) => sum + (points ?? 0), 0))
  return {
    ...{ grade: bands.find(([, least]) => score >= least)?.[0] ?? 'F', score, fields: readings, penalties },
    ...{ bots: inForce.map(({ bot }) => bot).sort(), cards: inForce.length },
    lastCardAt: Math.max(...inForce.map(shownAt)),
  }
}

function isOlder(card: CardRead, than: CardRead): boolean {
  if (shownAt(card) !== shownAt(than)) return shownAt(card) < shownAt(than)
  return card.chat !== than.chat ? card.chat < than.chat : card.post < than.post
}
