/** Reads the card of a scanner bot. */
import type { CardValues, Layout } from './layout.ts'
import { gemtools, phanes, rick, soul, trench } from './layouts.ts'
import { type Rows, rowsOf } from './rows.ts'

/**
 * The bot and the values of a card. If the layout of the card is unknown, `bot` is `unknown` and all values
 * are null.
 */
export type ScannerCard = CardValues & Readonly<{ bot: string }>

const layouts: readonly Layout[] = [phanes, rick, soul, trench, gemtools]

/** Labels that many bots use. */
const labelsOfMany = ['MC', 'Market Cap', 'Liq', 'LP', 'Vol', 'Age', 'ATH', 'Holders', 'Top 10', 'TH', 'Snipers', 'Dev']

/** The minimum number of labels on a card. A person who recommends a token writes at most two of them. */
const labelsMin = 3

/** Matches a placeholder: the first answer of some bots, which they later replace with the card. */
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
 * Reads a card from a text in plain form (`plainTextOf`). `posterName` is the name of the bot that posted it,
 * or null for other posters. The layout with the most of its own labels in the text is used, because
 * forwarded cards have no bot name. Between equals, the bot's name decides. Otherwise the layout is unknown.
 * Returns null for a placeholder, and for a text with too few labels that no scanner bot posted.
 */
export function readCard(text: string, posterName: string | null): ScannerCard | null {
  const named = layoutOf(posterName)
  const fits = layouts.map((layout) => {
    const rows = rowsOf(text, layout.rowForm)
    return { layout, rows, signCount: countIn(rows, layout.signs) + (layout === named ? 1 : 0) }
  })
  const best = fits.reduce((one, other) => (other.signCount > one.signCount ? other : one))
  // Rows without colons are read only if a label or the poster's name points to this layout. Otherwise a list
  // that a person wrote could be read as a card.
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
 * Returns the card. If the card's bot is not the poster, the bot is renamed to `quoted …`. Anybody can
 * forward or imitate a card, so quoted cards are kept apart from cards of the bot itself. A quoted card can
 * make the grade of a token's holders worse, but not better.
 */
export function asPosted(card: ScannerCard, posterName: string | null): ScannerCard {
  const isOwn = card.bot === 'unknown' || scannerNamed(posterName) === card.bot
  return isOwn ? card : { ...card, bot: `quoted ${card.bot}` }
}

/** Returns the bot that posts under this name. Null for any other name. */
export const scannerNamed = (posterName: string | null): string | null => layoutOf(posterName)?.bot ?? null

const layoutOf = (posterName: string | null): Layout | undefined =>
  posterName === null ? undefined : layouts.find(({ names }) => names.includes(posterName.toLowerCase()))

const countIn = (rows: Rows, labels: readonly string[]): number => labels.filter((label) => rows.has(label)).length

function valuesOf({ readers }: Layout, rows: Rows): CardValues {
  const values: Record<string, number | null> = { ...noValues }
  for (const [name, read] of Object.entries(readers)) values[name] = read(rows)
  return values as CardValues
}
