/** The program of the thread that runs ingest and the stages. Every few hours it sends the new part of its log. */
import { parentPort, workerData } from 'node:worker_threads'
import { type LivePlan, runLive } from '../live.ts'
import { type CopiedPart, createLogReader } from './log-copy.ts'
import { createWorld, stages } from './project.ts'

export type DeriveData = Readonly<{ plan: LivePlan; tellEveryMs: number }>
/**
 * A message of the thread. All records until `atMs` are derived, and all lookups are answered. `parts` are
 * the new log blocks after the last message. The seconds are counted from the beginning of the run.
 */
export type Derived = Readonly<{ atMs: number; parts: readonly CopiedPart[]; busySec: number; idleSec: number }>

export async function derive(): Promise<void> {
  const { plan, tellEveryMs } = workerData as DeriveData
  const world = await createWorld(plan.fromMs)
  const read = createLogReader(
    world.log,
    stages.flatMap(({ factTopic, derivedTopic }) => [factTopic, derivedTopic]),
  )
  await runLive(plan, { ...world, signal: new AbortController().signal }, async (atMs) => {
    if ((atMs - plan.fromMs) % tellEveryMs !== 0) return
    const { active, idle } = performance.eventLoopUtilization()
    const derived: Derived = { atMs, parts: await read(), busySec: active / 1000, idleSec: idle / 1000 }
    parentPort?.postMessage(
      derived,
      derived.parts.map(({ bytes }) => bytes.buffer),
    )
  })
}
