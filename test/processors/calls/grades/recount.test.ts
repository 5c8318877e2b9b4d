/**
 * Computes the grades of random cards, which are token summaries by bots, with independent code. Each row is
 * computed from all earlier cards.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import { grades } from '../../../../processors/calls/grades/processor.ts'
import { createTestDriver } from '../../../../processors/runtime/test-driver.ts'
import type { ScannerGrade } from '../../../../schemas/calls/derived.ts'
import type { CardRead, CardReadings } from '../../../../schemas/calls/facts.ts'
import { gradedFields, gradeTable } from '../../../../schemas/calls/grades.ts'
import { chainAStage } from '../../../../schemas/chain-a/stage.ts'
import { buildCard } from '../../../support/builders/build-cards.ts'
import { second, testToken } from '../../../support/builders/build-facts.ts'
import { buildMention } from '../../../support/builders/build-mentions.ts'

const hourSec = 3600
const { cardMs, rules, bands } = gradeTable

/** `ageSec` is the age of the card when it is read. Some cards have already expired by then. */
const drawnCard = fc.record({
  ageSec: fc.oneof(
    fc.integer({ min: 0, max: 3 }),
    fc.integer({ min: 0, max: 47 * hourSec }),
    fc.constantFrom(48 * hourSec - 1, 48 * hourSec),
  ),
  isEdited: fc.boolean(),
  bot: fc.constantFrom('rick', 'phanes', 'soul'),
  chat: fc.constantFrom('1', '2'),
  post: fc.integer({ min: 1, max: 3 }),
  readings: fc.record({
    top10Pct: fc.constantFrom(null, 0.1, 0.31, 0.6, 1.7),
    sniperPct: fc.constantFrom(null, null, -0.1, 0.3),
    devLeftPct: fc.constantFrom(null, null, 0.2),
    snipers: fc.constantFrom(null, 2, 90),
    holders: fc.constantFrom(null, 3, 90, 5000),
  }),
})
const drawnTicks = fc.array(
  fc.record({
    gapSec: fc.constantFrom(1, 60, 20 * hourSec, 50 * hourSec),
    cards: fc.array(drawnCard, { maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 12 },
)

type Told = Readonly<{ atMs: number; cards: readonly CardRead[] }>

function toldOf(ticks: typeof drawnTicks extends fc.Arbitrary<infer Its> ? Its : never): readonly Told[] {
  let atSec = 0
  return ticks.map(({ gapSec, cards }) => {
    atSec += gapSec
    const atMs = second(atSec)
    const read = cards.map(({ ageSec, isEdited, readings, ...place }) => {
      const shownAtMs = second(atSec - ageSec)
      const times = isEdited ? { postedAtMs: shownAtMs - 1000, editedAtMs: shownAtMs } : { postedAtMs: shownAtMs }
      return buildCard({ ...place, ...readings, ...times, seenAtMs: atMs }).data
    })
    return { atMs, cards: read }
  })
}

const shownAtMsOf = ({ editedAtMs, postedAtMs }: CardRead): number => editedAtMs ?? postedAtMs
const placeOf = (card: CardRead) => [shownAtMsOf(card), Number(card.chat), card.post] as const

/** Returns the newest card of each bot. If the same version was read twice, the later reading counts. */
function newestOf(cards: readonly CardRead[]): readonly CardRead[] {
  return [...new Set(cards.map(({ bot }) => bot))].sort().map((bot) => {
    const own = cards.filter((card) => card.bot === bot)
    return own.reduce((best, card) => {
      const differing = placeOf(card).findIndex((part, index) => part !== placeOf(best)[index])
      return differing < 0 || (placeOf(card)[differing] ?? 0) > (placeOf(best)[differing] ?? 0) ? card : best
    })
  })
}

function rowOf(cards: readonly CardRead[], gradedSinceMs: number): ScannerGrade {
  const readings = Object.fromEntries(
    gradedFields.map((field) => {
      const told = cards.flatMap((card) => card[field] ?? [])
      const worst = field === 'holders' ? Math.min(...told) : Math.max(...told)
      const isShare = /Pct|fresh/.test(field)
      return [field, told.length === 0 ? null : isShare ? Math.max(0, Math.min(1, worst)) : worst]
    }),
  ) as CardReadings
  const penalties = gradedFields.flatMap((field) => {
    const value = readings[field]
    if (value === null) return []
    const reached = rules.filter(
      (rule) => rule.field === field && (field === 'holders' ? value < rule.limit : value >= rule.limit),
    )
    const most = Math.max(0, ...reached.map(({ points }) => points))
    return reached.filter(({ points }) => points === most).map(({ limit }) => ({ field, value, limit, points: most }))
  })
  const score = Math.max(0, 100 - penalties.reduce((sum, { points }) => sum + points, 0))
  return {
    ...{ gradedSinceMs, lastCardAtMs: Math.max(...cards.map(shownAtMsOf)), score, ...readings, penalties },
    grade: bands.filter(({ minScore }) => score >= minScore)[0]?.grade ?? 'F',
    ...{ bots: cards.map(({ bot }) => bot), cards: cards.length },
  }
}

/** Computes a row after each change of the set of valid cards: a new card, or a card that became too old. */
function recount(ticks: readonly Told[]): readonly ScannerGrade[] {
  const rows: ScannerGrade[] = []
  let taken: readonly CardRead[] = []
  let shown = ''
  const show = (cards: readonly CardRead[], first: CardRead | undefined) => {
    const newest = newestOf(cards)
    const readings = JSON.stringify(newest.map((card) => [placeOf(card), gradedFields.map((field) => card[field])]))
    if (first !== undefined && readings !== shown) rows.push(rowOf(newest, shownAtMsOf(first)))
    shown = readings
  }
  // All cards after the last time when the token had no valid card, including expired cards.
  let since: readonly CardRead[] = []
  for (const { atMs, cards } of ticks) {
    const expired = taken.map((card) => shownAtMsOf(card) + cardMs).filter((expiresAtMs) => expiresAtMs < atMs)
    for (const expiresAtMs of expired.sort((one, other) => one - other)) {
      taken = taken.filter((card) => shownAtMsOf(card) + cardMs > expiresAtMs)
      if (taken.length === 0) since = []
      show(taken, since[0])
    }
    for (const card of cards) {
      if (atMs - shownAtMsOf(card) >= cardMs || gradedFields.every((field) => card[field] === null)) continue
      taken = [...taken, card]
      since = [...since, card]
      show(taken, since[0])
    }
  }
  return rows
}

describe('the grades of random cards', () => {
  it('are those of a recount, row by row', () => {
    let [renewed, expired] = [0, 0]
    fc.assert(
      fc.property(drawnTicks, (drawn) => {
        const ticks = toldOf(drawn)
        const driver = createTestDriver({ stage: chainAStage, processors: [grades] })
        const said = ticks.flatMap(({ atMs, cards }) => {
          for (const data of cards) driver.answer(testToken, { type: 'CardRead', data })
          // A post about the token must not change the grade.
          driver.answer(testToken, buildMention({ postedAtMs: atMs }))
          return driver.tick(atMs).map(({ record }) => record.data as ScannerGrade)
        })
        const counted = recount(ticks)
        expect(said).to.deep.equal(counted)
        for (const [index, row] of counted.entries()) {
          const before = counted[index - 1]
          if (before?.gradedSinceMs === row.gradedSinceMs) renewed++
          if (before !== undefined && before.cards > row.cards && before.gradedSinceMs === row.gradedSinceMs) expired++
        }
      }),
      { numRuns: 150 },
    )
    expect([renewed > 0, expired > 0]).to.deep.equal([true, true])
  })
})
