/** The paths that are requested at each cut time, and the answers that the oracle expects. */
import type { Answers } from '../../support/oracle/chain-b/answers.ts'

export type Question = Readonly<{ path: string; expected: (answers: Answers) => object }>

/** A fraction is rounded down. */
const minutes = [240, 1, 30, 20.5]
const hours = [1, 2.5]
const limits = [2.9, 2000]

const asked = <Value extends number>(values: readonly Value[], of: (value: Value) => Question): readonly Question[] =>
  values.map(of)

/** Every route, without parameters and with several values of its parameters. */
export const questions: readonly Question[] = [
  { path: '/v1/sol/bursts/live', expected: (answers) => answers.burstsLive(60) },
  ...asked(minutes, (value) => ({
    path: `/v1/sol/bursts/live?minutes=${value}`,
    expected: (answers) => answers.burstsLive(Math.floor(value)),
  })),
  { path: '/sol/bursts/history', expected: (answers) => answers.burstsHistory(24) },
  ...asked(hours, (value) => ({
    path: `/v1/sol/bursts/history?hours=${value}`,
    expected: (answers) => answers.burstsHistory(Math.floor(value)),
  })),
  { path: '/v1/sol/grads/live', expected: (answers) => answers.gradsLive(60) },
  ...asked(minutes, (value) => ({
    path: `/v1/sol/grads/live?minutes=${value}`,
    expected: (answers) => answers.gradsLive(Math.floor(value)),
  })),
  { path: '/sol/grads/history', expected: (answers) => answers.gradsHistory(24, 500) },
  ...asked([...hours, 48], (value) => ({
    path: `/v1/sol/grads/history?hours=${value}`,
    expected: (answers) => answers.gradsHistory(Math.floor(value), 500),
  })),
  ...asked(limits, (value) => ({
    path: `/v1/sol/grads/history?limit=${value}`,
    expected: (answers) => answers.gradsHistory(24, value),
  })),
  { path: '/v1/snapshot', expected: (answers) => answers.snapshot(60) },
  ...asked(minutes, (value) => ({
    path: `/v1/snapshot?minutes=${value}`,
    expected: (answers) => answers.snapshot(Math.floor(value)),
  })),
]

/** The route of a path: without its query, and with the `/v1` prefix. */
export const routeOf = (path: string): string => path.replace(/\?.*/, '').replace(/^(?!\/v1)/, '/v1')
