/** Reads the card of a scanner bot. */
import type { CardValues, Layout } from './layout.ts'
import { gemtools, phanes, rick, soul, trench } from './layouts.ts'
import { type Rows, rowsOf } from './rows.ts'

/** A card with its values. If its layout is unknown, `bot` is `unknown` and all values are null. */
export type ScannerCard = CardValues & Readonly<{ bot: string }>

const layouts: readonly Layout[] = [phanes, rick, soul, trench, gemtools]

/** Labels that many bots use. */
const labelsOfMany = ['MC', 'Market Cap', 'Liq', 'LP', 'Vol', 'Age', 'ATH', 'Holders', 'Top 10', 'TH', 'Snipers', 'Dev']

/** The minimum number of labels on a card. People write one or two of these labels in a call. */
const labelsMin = 3

/** Matches the first answer of some bots, which they later edit into a card. */
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
 * Reads a card. `text` is in its plain form. `posterName` is the name of a bot, or null for any other poster. The labels decide which
 * layout the card has, because forwarded cards have no bot name. If several layouts match equally well, the bot's name decides. If nothing
 * decides, the layout is unknown. Returns null for a bot's placeholder. Also returns null for a text with too few labels, unless a scanner
 * bot posted it.
 */
export function readCard(text: string, posterName: string | null): ScannerCard | null {
  const named = layoutOf(posterName)
  const fits = layouts.map((layout) => {
    const rows = rowsOf(text, layout.rowForm)
    return { layout, rows, signCount: countIn(rows, layout.signs) + (layout === named ? 1 : 0) }
  })
  const best = fits.reduce((one, other) => (other.signCount > one.signCount ? other : one))
  // People also write lists whose rows have no colons. So rows without colons are read only if the text has a
  // sign of the layout or the name of the layout's bot.
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
 * Returns the card. If the bot did not post the card, renames the bot to `quoted …`. Anybody can forward a
 * card, or write something that looks like one. So a quoted card never replaces the bot's own values. A
 * quoted card can make a grade worse, but not better.
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
