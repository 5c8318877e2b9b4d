/** What is known of a bot's cards. The layouts of one bot over time are one value: rows come and go. */
import type { CardReadings } from '../../../schemas/calls/facts.ts'
import type { Reader } from './readers.ts'
import type { RowForm } from './rows.ts'

export type CardValues = CardReadings &
  Readonly<{ sniperPctAtLaunch: number | null; bundlePctAtLaunch: number | null; mcapUsd: number | null }>

export type Layout = Readonly<{
  bot: string
  /** Under which it posts, in lower case. */
  names: readonly string[]
  rowForm: RowForm
  /** Labels that only this bot writes. */
  signs: readonly string[]
  /** Values without a reader are not on its cards. */
  readers: Readonly<Partial<Record<keyof CardValues, Reader>>>
}>
