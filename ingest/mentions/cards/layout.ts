/**
 * Describes the cards of a scanner bot. A card is a summary of a token in labelled rows. Bots add and remove
 * rows, so one description covers all forms of a bot's cards.
 */
import type { CardReadings } from '../../../schemas/calls/facts.ts'
import type { Reader } from './readers.ts'
import type { RowForm } from './rows.ts'

export type CardValues = CardReadings &
  Readonly<{ sniperPctAtLaunch: number | null; bundlePctAtLaunch: number | null; mcapUsd: number | null }>

export type Layout = Readonly<{
  bot: string
  /** The names under which the bot posts, in lower case. */
  names: readonly string[]
  rowForm: RowForm
  /** Row labels that no other bot writes. */
  signs: readonly string[]
  /** The reader of each value. A value without a reader is never on the cards of this bot. */
  readers: Readonly<Partial<Record<keyof CardValues, Reader>>>
}>
