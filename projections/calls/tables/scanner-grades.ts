/**
 * The table of token grades, on all chains. A grade is computed from the cards that scanner bots post in
 * chats.
 */

import type { ScannerGrade } from '../../../schemas/calls/derived.ts'
import { dayMs, type EpochMs } from '../../../schemas/units.ts'
import { float64, int32, int64, label, nullable, plain, text, texts } from '../../columns.ts'
import { tableOfChains } from '../../table.ts'

const penalties = plain<ScannerGrade['penalties']>(
  'Array(Tuple(field String, value Float64, limit Float64, points Float64))',
)

const key = ['token', 'graded_since_ms'] as const

export const scannerGrades = tableOfChains<ScannerGrade>()({
  name: 'scanner_grades',
  naturalKey: key,
  bySubject: { token: 'token', time: 'graded_since_ms' },
  order: key,
  // A grade gets new versions as long as new cards arrive, so `graded_since_ms` does not show the age of a
  // version.
  partition: { column: 'known_at_ms', everyMs: dayMs },
  columns: {
    token: text((_, { logKey }) => logKey),
    graded_since_ms: int64(({ gradedSinceMs }) => gradedSinceMs),
    last_card_at_ms: int64(({ lastCardAtMs }) => lastCardAtMs),
    grade: label(({ grade }) => grade),
    score: float64(({ score }) => score),
    top_10_pct: nullable(float64)(({ top10Pct }) => top10Pct),
    top_holder_1_pct: nullable(float64)(({ topHolder1Pct }) => topHolder1Pct),
    snipers: nullable(int32)(({ snipers }) => snipers),
    sniper_pct: nullable(float64)(({ sniperPct }) => sniperPct),
    bundlers: nullable(int32)(({ bundlers }) => bundlers),
    bundle_pct: nullable(float64)(({ bundlePct }) => bundlePct),
    dev_left_pct: nullable(float64)(({ devLeftPct }) => devLeftPct),
    fresh_1d: nullable(float64)(({ fresh1d }) => fresh1d),
    fresh_7d: nullable(float64)(({ fresh7d }) => fresh7d),
    holders: nullable(int32)(({ holders }) => holders),
    penalties: penalties((grade) =>
      grade.penalties.map(({ field, value, limit, points }) => ({ field, value, limit, points })),
    ),
    bots: texts(({ bots }) => bots),
    cards: int32(({ cards }) => cards),
  },
  withdrawn: ({ atMs }: Readonly<{ atMs: EpochMs }>, token) => ({ token, graded_since_ms: atMs }),
})
