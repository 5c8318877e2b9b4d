/** The data sources of the answers about calls: the chats and the chains. */
import type { Cut } from '../../projections/cuts.ts'
import { chatsStage } from '../../schemas/chats/stage.ts'
import type { DurationMs } from '../../schemas/units.ts'
import type { Need, RequiredSource } from '../route.ts'
import type { Params, ParamValues } from '../sale/params.ts'
import type { CallsDependencies } from './dependencies.ts'
import type { CalledChain } from './parts.ts'

export const chatsSource: Omit<RequiredSource, 'maxAgeMs'> = {
  stage: chatsStage,
  newest: 'the last read of the chats',
}

/**
 * Returns the chats and every configured chain as data sources. If `isFor` is given, an answer depends only
 * on the chains for which `isFor` returns true.
 */
export const callsSources = (
  { chains }: Pick<CallsDependencies, 'chains'>,
  maxAgeMs: DurationMs,
  isFor?: (chain: CalledChain, values: ParamValues<Params>) => boolean,
): readonly [RequiredSource, ...RequiredSource[]] => [
  { ...chatsSource, maxAgeMs },
  ...chains.map((chain) => ({
    ...{ ...chain.source, maxAgeMs },
    ...(isFor && { isFor: (values: ParamValues<Params>) => isFor(chain, values) }),
  })),
]

/**
 * Returns two times of an answer. `atMs`: the time for which the answer was computed. `blockAtMs`: the time
 * of the newest block of the chain, or of the chats, that is furthest behind.
 */
export const timeOf = ({ atMs, stages }: Cut) => ({
  atMs,
  blockAtMs: Math.min(...Object.values(stages).map(({ blockAtMs }) => blockAtMs)),
})

export const noHourYet =
  'there is no hourly answer yet. The service builds the first one at a whole minute, after it has caught up with the log. Try again in a minute'

/**
 * The condition of the hourly routes about calls: the service had built at least one hourly answer at the
 * time of the requested data (`cut`).
 */
export const hourNeed = ({ queries }: Pick<CallsDependencies, 'queries'>): Need => ({
  name: 'hourly answer about calls',
  refusal: noHourYet,
  isMet: async (cut) => (await queries.rebuiltAt(cut)) !== null,
})
