/** What answers about calls depend on. */
import type { Cut } from '../../projections/cuts.ts'
import { chatsStage } from '../../schemas/chats/stage.ts'
import type { DurationMs } from '../../schemas/units.ts'
import type { Dependency, Need } from '../route.ts'
import type { Params, ParamValues } from '../sale/params.ts'
import type { CalledChain } from './parts.ts'
import type { CallsWorld } from './world.ts'

export const chatsSource: Omit<Dependency, 'maxAgeMs'> = {
  stage: chatsStage,
  newest: 'the newest sign of life of the chats',
}

/** The chats and every chain that is there; of them those that an answer is about, where `isFor` tells it. */
export const callsSources = (
  { chains }: Pick<CallsWorld, 'chains'>,
  maxAgeMs: DurationMs,
  isFor?: (chain: CalledChain, values: ParamValues<Params>) => boolean,
): readonly [Dependency, ...Dependency[]] => [
  { ...chatsSource, maxAgeMs },
  ...chains.map((chain) => ({
    ...{ ...chain.source, maxAgeMs },
    ...(isFor && { isFor: (values: ParamValues<Params>) => isFor(chain, values) }),
  })),
]

/** The newest instant of the stage that is the furthest behind. */
export const timeOf = ({ atMs, stages }: Cut) => ({
  atMs,
  blockAtMs: Math.min(...Object.values(stages).map(({ blockAtMs }) => blockAtMs)),
})

export const noHourYet = 'the first answer is made once the service has caught up with a whole minute; try again then'

/** What the routes need whose answers are rebuilt each hour. */
export const hourNeed = ({ views }: Pick<CallsWorld, 'views'>): Need => ({
  name: 'hour of the calls',
  refusal: noHourYet,
  isMet: async (cut) => (await views.rebuiltAt(cut)) !== null,
})
