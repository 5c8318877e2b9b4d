/** The tables of calls. */
import { type CorrectedTable, correctedOf } from '../corrections.ts'
import { callScores } from './tables/call-scores.ts'
import { calls } from './tables/calls.ts'
import { precallBuyers, precalls } from './tables/precalls.ts'
import { scannerGrades } from './tables/scanner-grades.ts'

export const callMigrations = new URL('./migrations/', import.meta.url)

/** Of a chain whose tokens are called, by their record types. */
export const callTablesOf = (chain: string) => ({
  Call: calls.of(chain),
  CallScored: callScores.of(chain),
  ScannerGrade: scannerGrades.of(chain),
})

/** Of a chain that also tells what happened before a call. */
export const precallTablesOf = (chain: string) => ({
  Precall: precalls.of(chain),
  PrecallBuyers: precallBuyers.of(chain),
})

export type CallTables = ReturnType<typeof callTablesOf>
export type PrecallTables = ReturnType<typeof precallTablesOf>

/** Those whose corrections are listed. Columns that name a caller are left out: chats may be private. */
export const correctedCalls = (chain: string): readonly CorrectedTable[] =>
  correctedOf(callTablesOf(chain), { Call: ['chats'], CallScored: ['chat', 'post', 'chat_name', 'poster'] })
