/** Describes the cards of a bot. Bots add and remove rows, so one description covers all layouts of a bot. */
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
  /** Labels that only this bot writes. */
  signs: readonly string[]
  /** The reader of each value. A value without a reader is never on the cards of this bot. */
  readers: Readonly<Partial<Record<keyof CardValues, Reader>>>
}>
