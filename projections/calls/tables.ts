/** The tables of calls. */
import { type CorrectedTable, correctedOf } from '../corrections.ts'
import { callScores } from './tables/call-scores.ts'
import { calls } from './tables/calls.ts'
import { precallBuyers, precalls } from './tables/precalls.ts'
import { scannerGrades } from './tables/scanner-grades.ts'

export const callMigrations = new URL('./migrations/', import.meta.url)

/** The tables that contain the calls, scores and grades of one chain, by record type. */
export const callTablesOf = (chain: string) => ({
  Call: calls.of(chain),
  CallScored: callScores.of(chain),
  ScannerGrade: scannerGrades.of(chain),
})

/**
 * The tables of precalls (summaries of the trades before a call) of one chain, by record type. Only some
 * chains have precalls.
 */
export const precallTablesOf = (chain: string) => ({
  Precall: precalls.of(chain),
  PrecallBuyers: precallBuyers.of(chain),
})

export type CallTables = ReturnType<typeof callTablesOf>
export type PrecallTables = ReturnType<typeof precallTablesOf>

/**
 * The tables of calls for which the API publishes the rows that a reorg changed. Chats may be private, so
 * columns that name a chat or caller are hidden.
 */
export const correctedCalls = (chain: string): readonly CorrectedTable[] =>
  correctedOf(callTablesOf(chain), { Call: ['chats'], CallScored: ['chat', 'post', 'chat_name', 'poster'] })
