/** Finds out whether a test fails with a mutant. */
import assert from 'node:assert/strict'
import type { Tried } from './messages.ts'
import type { Plan } from './plan.ts'
import type { WorkerLink } from './worker-link.ts'

/** `unmet`: no test meets it. Null: the process died or did not end in time. */
export type Outcome = Readonly<{ kind: 'killed'; by: Tried['killedBy'] }> | Readonly<{ kind: 'survived' | 'unmet' }>

type Plans = Readonly<{ number: string; running: Plan; loading: Plan | null }>

/** For the time that the tests take, and for what it takes to start. */
const slowness = 5
const startMs = 10_000
/** An endless loop through the mutant ends by itself when it was met this much more often than without it. */
const hitFactor = 100
const hitsLeast = 10_000

/**
 * First in the process that is there, which is quick: the mutant is switched on when all is loaded. A process of its own is
 * asked where that cannot tell: what is computed while files are loaded, or once and then kept.
 */
export async function tryMutant(link: WorkerLink, plans: Plans): Promise<Outcome> {
  const { number, running, loading } = plans
  if (running.runs.length === 0 && loading === null) return { kind: 'unmet' }
  const first = running.runs.length === 0 ? null : await tryAtOnce(link, plans)
  if (first !== null) return first
  await link.renew()
  const tried = await ask(link, number, loading ?? running)
  await link.renew()
  return outcomeOf(tried)
}

const outcomeOf = (tried: Tried | null): Outcome =>
  tried !== null && tried.killedBy === null ? { kind: 'survived' } : { kind: 'killed', by: tried?.killedBy ?? null }

/** Null: it cannot tell. A process in which nothing ran before is believed whenever a test fails or does not end. */
async function tryAtOnce(link: WorkerLink, { number, running, loading }: Plans): Promise<Outcome | null> {
  const wasFresh = link.isFresh()
  const tried = await ask(link, number, running)
  if (tried?.isSpoiled) await link.renew()
  const outcome = outcomeOf(tried)
  if (outcome.kind === 'killed') return wasFresh || tried?.isSpoiled === false ? outcome : null
  const isSeen = tried !== null && tried.hits * 2 >= running.hits
  return isSeen && loading === null ? outcome : null
}

async function ask(link: WorkerLink, number: string, { runs, durationMs, hits }: Plan): Promise<Tried | null> {
  const hitsMax = Math.max(hits * hitFactor, hitsLeast)
  const answer = await link.ask({ kind: 'try', number, runs, hitsMax }, startMs + durationMs * slowness)
  if (answer === null) return null
  assert(answer.kind === 'tried')
  return answer
}
