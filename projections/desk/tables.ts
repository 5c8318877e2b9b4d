/** The tables of the paper desk (the simulated trading). The key of a desk record in the log is the token. */

import type { DeskOpened, DeskShadow, DeskTrade, DeskTwin } from '../../schemas/desk/derived.ts'
import { dayMs, type EpochMs } from '../../schemas/units.ts'
import { float64, int64, label, nullable, text } from '../columns.ts'
import { tableOfChains } from '../table.ts'

/** The fields of a row key that the tables of the desk use. */
type DeskKey = Readonly<{ atMs: EpochMs; name: string }>

const partition = { column: 'opened_at_ms', everyMs: 30 * dayMs } as const
const positionKey = ['opened_at_ms', 'token', 'lane'] as const
const shadowKey = ['signal_at_ms', 'token', 'signal'] as const

/**
 * Returns the key columns of a withdrawn row. `name` is `book:lane` for a position or a trade. For a twin (a
 * random trade), `name` is only the lane (the trading strategy).
 */
const withdrawn = ({ atMs, name }: DeskKey, token: string) => ({
  token,
  lane: name.slice(name.indexOf(':') + 1),
  opened_at_ms: atMs,
})

const closing = {
  opened_at_ms: int64(({ openedAtMs }: DeskTwin) => openedAtMs),
  closed_at_ms: int64(({ closedAtMs }: DeskTwin) => closedAtMs),
  market: text(({ market }: DeskTwin) => market),
  ret: float64(({ ret }: DeskTwin) => ret),
  peak_ret: float64(({ peakRet }: DeskTwin) => peakRet),
  exit: label(({ exit }: DeskTwin) => exit),
} as const

const tables = {
  opens: tableOfChains<DeskOpened>()({
    name: 'desk_opens',
    naturalKey: positionKey,
    order: positionKey,
    partition,
    columns: {
      token: text((_, { logKey }) => logKey),
      book: label(({ book }) => book),
      lane: label(({ lane }) => lane),
      signal_at_ms: int64(({ signalAtMs }) => signalAtMs),
      opened_at_ms: int64(({ openedAtMs }) => openedAtMs),
      market: text(({ market }) => market),
    },
    withdrawn,
  }),
  trades: tableOfChains<DeskTrade>()({
    name: 'desk_trades',
    naturalKey: positionKey,
    bySubject: { token: 'token', time: 'opened_at_ms' },
    order: positionKey,
    partition,
    columns: {
      token: text((_, { logKey }) => logKey),
      book: label(({ book }) => book),
      lane: label(({ lane }) => lane),
      signal_at_ms: int64(({ signalAtMs }) => signalAtMs),
      ...closing,
    },
    withdrawn,
  }),
  twins: tableOfChains<DeskTwin>()({
    name: 'desk_twins',
    naturalKey: positionKey,
    order: positionKey,
    partition,
    columns: { token: text((_, { logKey }) => logKey), lane: label(({ lane }) => lane), ...closing },
    withdrawn,
  }),
  shadows: tableOfChains<DeskShadow>()({
    name: 'desk_shadows',
    naturalKey: shadowKey,
    bySubject: { token: 'token', time: 'signal_at_ms' },
    order: shadowKey,
    partition: { ...partition, column: 'signal_at_ms' },
    columns: {
      token: text((_, { logKey }) => logKey),
      signal_at_ms: int64(({ signalAtMs }) => signalAtMs),
      signal: label(({ signal }) => signal),
      anchor_at_ms: int64(({ anchorAtMs }) => anchorAtMs),
      market: text(({ market }) => market),
      ret_1: nullable(float64)(({ ret1 }) => ret1),
      ret_5: nullable(float64)(({ ret5 }) => ret5),
      ret_15: nullable(float64)(({ ret15 }) => ret15),
      ret_60: nullable(float64)(({ ret60 }) => ret60),
      mfe: float64(({ mfe }) => mfe),
      mae: float64(({ mae }) => mae),
    },
    withdrawn: ({ atMs, name }: DeskKey, token) => ({ token, signal_at_ms: atMs, signal: name }),
  }),
}

export const deskMigrations = new URL('./migrations/', import.meta.url)

/** Returns the tables of the paper desk of one chain, by record type. */
export const deskTablesOf = (chain: string) => ({
  DeskOpened: tables.opens.of(chain),
  DeskTrade: tables.trades.of(chain),
  DeskTwin: tables.twins.of(chain),
  DeskShadow: tables.shadows.of(chain),
})

export type DeskTables = ReturnType<typeof deskTablesOf>
