import type { Answers } from '../sale/answers.ts'
import { type DescribedSource, nameOf, statesOf } from './service-info.ts'

type Service = Readonly<{ sources: readonly DescribedSource[]; answers: Answers; stopping: AbortSignal | undefined }>

/** Returns why the service should get no requests: it has no data of a source yet, or it stops. Null: it should get requests. */
export async function whyNotReady({ sources, answers, stopping }: Service): Promise<string | null> {
  if (stopping?.aborted) return 'the service is stopping'
  const states = await statesOf(sources, answers)
  const unknown = states.flatMap(({ chain, cut }) => (cut === null ? [nameOf(chain)] : []))
  return unknown.length === 0 ? null : `there is no data yet of ${unknown.join(', ')}`
}
