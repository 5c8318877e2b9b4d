/** Reads the card of a scanner bot. */
import type { CardValues, Layout } from './layout.ts'
import { gemtools } from './layouts/gemtools.ts'
import { phanes } from './layouts/phanes.ts'
import { rick } from './layouts/rick.ts'
import { soul } from './layouts/soul.ts'
import { trench } from './layouts/trench.ts'
import { type Rows, rowsOf } from './rows.ts'

/** `bot`: `unknown` for a card of no known layout, whose values are all null. */
export type ScannerCard = CardValues & Readonly<{ bot: string }>

const layouts: readonly Layout[] = [phanes, rick, soul, trench, gemtools]

/** Labels of many bots. */
const labelsOfMany = ['MC', 'Market Cap', 'Liq', 'LP', 'Vol', 'Age', 'ATH', 'Holders', 'Top 10', 'TH', 'Snipers', 'Dev']

/** People write one or two of the labels in a call. */
const labelsMin = 3

/** The first answer of some bots, which they edit when they know more. */
const placeholder = /\b(?:loading|fetching|scanning|analy[sz]ing|generating|please wait)\b/i

const noValues: CardValues = {
  top10Pct: null,
  topHolder1Pct: null,
  snipers: null,
  sniperPct: null,
  bundlers: null,
  bundlePct: null,
  devLeftPct: null,
  fresh1d: null,
  fresh7d: null,
  holders: null,
  sniperPctAtLaunch: null,
  bundlePctAtLaunch: null,
  mcapUsd: null,
}

export const cardNames = Object.keys(noValues) as readonly (keyof CardValues)[]

/**
 * Null: the text is no card, or the place of one. `text`: in its plain form. `posterName`: of a bot, null of anybody else. A
 * bot is recognised by its labels, because forwarded cards have no name; its name decides between layouts that fit alike, and
 * without it nothing is guessed.
 */
export function readCard(text: string, posterName: string | null): ScannerCard | null {
  const named = layoutOf(posterName)
  const fits = layouts.map((layout) => {
    const rows = rowsOf(text, layout.rowForm)
    return { layout, rows, signCount: countIn(rows, layout.signs) + (layout === named ? 1 : 0) }
  })
  const best = fits.reduce((one, other) => (other.signCount > one.signCount ? other : one))
  // Only a layout that a sign or the name speaks for may have rows without colons: people write such lists.
  const rows = best.signCount > 0 ? best.rows : rowsOf(text)
  const isClear = fits.every((fit) => fit === best || fit.signCount < best.signCount)
  const labels = new Set([...labelsOfMany, ...best.layout.signs])
  const labelCount = countIn(rows, [...labels])
  const isCard = labelCount >= labelsMin || (named !== undefined && labelCount > 0)
  if (isCard && isClear && labelCount > 0) return { bot: best.layout.bot, ...valuesOf(best.layout, rows) }
  const isUnknown = isCard || (named !== undefined && !placeholder.test(text))
  return isUnknown ? { bot: 'unknown', ...noValues } : null
}

/**
 * Anybody can forward a card, or write what looks like one. Such a card counts as that of another bot, so that it never takes
 * the place of what the bot itself says: beside it, it can make a grade worse, not better.
 */
export function asPosted(card: ScannerCard, posterName: string | null): ScannerCard {
  const isOwn = card.bot === 'unknown' || scannerNamed(posterName) === card.bot
  return isOwn ? card : { ...card, bot: `quoted ${card.bot}` }
}

/** Of the bot that posts under this name; null: of anybody else. */
export const scannerNamed = (posterName: string | null): string | null => layoutOf(posterName)?.bot ?? null

const layoutOf = (posterName: string | null): Layout | undefined =>
  posterName === null ? undefined : layouts.find(({ names }) => names.includes(posterName.toLowerCase()))

const countIn = (rows: Rows, labels: readonly string[]): number => labels.filter((label) => rows.has(label)).length

function valuesOf({ readers }: Layout, rows: Rows): CardValues {
  const values: Record<string, number | null> = { ...noValues }
  for (const [name, read] of Object.entries(readers)) values[name] = read(rows)
  return values as CardValues
}
