/**
 * What the paper desk (simulated trading) recorded about one token. The verdicts of both chains show these
 * fields.
 */
import { z } from 'zod'
import type { TokenShadowRow, TokenTradeRow } from '../../../projections/desk/queries/desk.ts'
import { books, type DeskExit, deskExits } from '../../../schemas/desk/derived.ts'
import { fieldsOf } from '../../resource.ts'
import { epochMs } from '../../values.ts'

/**
 * The names of exit reasons in answers. An exit reason says why the paper desk closed a trade. The names have
 * `-` where the Avro names have `_`.
 */
const exitNames = Object.fromEntries(deskExits.map((exit) => [exit, exit.replaceAll('_', '-')])) as Readonly<
  Record<DeskExit, string>
>

const trade = fieldsOf<TokenTradeRow>()

export const lastTrade = trade.resource('deskLastTrade', {
  book: trade.outcome(z.enum(books), '`main`: what the desk stands for; `explore`: what it tries.', (row) => row.book),
  mode: trade.outcome(
    z.literal('paper'),
    'Simulated fills on live prices: there was no money.',
    () => 'paper' as const,
  ),
  retPct: trade.outcome(z.number(), 'Return on cost in percent, all fees deducted.', ({ ret }) => ret * 100),
  exit: trade.outcome(
    z.enum(Object.values(exitNames) as [string, ...string[]]),
    'Why it was closed.',
    ({ exit }) => exitNames[exit],
  ),
  closedAt: trade.outcome(epochMs, 'When it was closed, epoch ms.', (row) => row.closedAtMs),
})

const shadowFields = fieldsOf<TokenShadowRow>()

const returnAfter = (minutes: string, read: (row: TokenShadowRow) => number | null) =>
  shadowFields.outcome(
    z.number().nullable(),
    `Return ${minutes} after the fill price, without costs; null where the market had ended.`,
    read,
  )

export const deskShadow = shadowFields.resource('deskShadow', {
  signalAt: shadowFields.outcome(epochMs, 'The signal that the desk looked at, epoch ms.', (row) => row.signalAtMs),
  signal: shadowFields.outcome(z.string(), '`burst` or `call`.', (row) => row.signal),
  ret1: returnAfter('1 minute', (row) => row.ret1),
  ret5: returnAfter('5 minutes', (row) => row.ret5),
  ret15: returnAfter('15 minutes', (row) => row.ret15),
  ret60: returnAfter('60 minutes', (row) => row.ret60),
  mfe: shadowFields.outcome(z.number().min(0), 'Highest return within the hour.', (row) => row.mfe),
  mae: shadowFields.outcome(z.number().max(0), 'Lowest return within the hour.', (row) => row.mae),
})
