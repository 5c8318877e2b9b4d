/** Queries that return fixed example rows for the API documents, whatever the parameters are. */
import type { CallsQueries } from '../../projections/calls/queries/calls-queries.ts'
import { exampleTracked } from '../example.ts'
import { exampleBoard, exampleCall, exampleGrade, exampleOutcome, examplePrecall } from './example-rows.ts'

export const exampleQueries: CallsQueries = {
  tracked: { precalls: exampleTracked, grades: exampleTracked },
  live: async () => [exampleCall],
  rebuiltAt: async () => exampleBoard.rebuiltAtMs,
  outcomes: async () => ({ rebuiltAtMs: exampleBoard.rebuiltAtMs, calls: [exampleOutcome] }),
  board: async () => exampleBoard,
  grade: async () => exampleGrade,
  precall: async () => examplePrecall,
  ofToken: async () => [exampleCall],
}
