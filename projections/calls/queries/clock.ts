/** What is recent, and what hourly answers tell of. */
import assert from 'node:assert/strict'
import type { Database } from '../../../infra/clickhouse/database.ts'
import type { Stage } from '../../../schemas/stage.ts'
import { type Cut, type StageCut, stageCutAt } from '../../cuts.ts'
import { hourMs } from '../../table.ts'
import { keepNewest } from './keep-newest.ts'

/** Until when the chats were followed. */
export function chatsClockMs({ stages }: Cut): number {
  const chats = stages.chats
  assert(chats, 'what is sold of calls depends on the chats')
  return chats.blockAtMs
}

/** `(to - durationMs, to]`. */
export const before = (to: number, durationMs: number) => ({ from: Math.floor(to - durationMs) + 1, to })

const minuteMs = 60_000

/**
 * The cut of the last whole hour at or before a cut; of the last whole minute, until all stages were known at a whole hour. What
 * was known by then is complete at the later cut, so every cut of the hour finds the same one. Null: there is none yet.
 */
export function createHourCut(database: Database, stages: readonly Stage[]): (cut: Cut) => Promise<Cut | null> {
  const kept = keepNewest<Cut | null>(16)
  const cutOf = async (atMs: number, asked: Cut): Promise<Cut | null> => {
    const found: Record<string, StageCut> = {}
    for (const stage of stages) {
      if (!asked.stages[stage.name]) continue
      const cut = await stageCutAt(database, atMs, stage)
      if (cut === null) return null
      found[stage.name] = cut
    }
    return { atMs, stages: found }
  }
  return async (cut) => {
    const floored = (everyMs: number) => Math.floor(cut.atMs / everyMs) * everyMs
    const names = Object.keys(cut.stages).join()
    const at = (atMs: number) => kept(`${names} ${atMs}`, () => cutOf(atMs, cut))
    return (await at(floored(hourMs))) ?? (await at(floored(minuteMs)))
  }
}
