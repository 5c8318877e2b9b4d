/** The description of a bot's cards. It covers all layouts of the bot over time, because rows come and go. */
import type { CardReadings } from '../../../schemas/calls/facts.ts'
import type { Reader } from './readers.ts'
import type { RowForm } from './rows.ts'

export type CardValues = CardReadings &
  Readonly<{ sniperPctAtLaunch: number | null; bundlePctAtLaunch: number | null; mcapUsd: number | null }>

export type Layout = Readonly<{
  bot: string
  /** The names under which it posts, in lower case. */
  names: readonly string[]
  rowForm: RowForm
  /** Labels that only this bot writes. */
  signs: readonly string[]
  /** Cards of this bot do not have values without a reader. */
  readers: Readonly<Partial<Record<keyof CardValues, Reader>>>
}>
