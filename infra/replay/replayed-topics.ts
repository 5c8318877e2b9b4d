/**
 * The topics and stages that a replay reads. No other file of the replay names a chain, except for the record types.
 */
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import { chainBStage } from '../../schemas/chain-b/stage.ts'
import { chatsStage } from '../../schemas/chats/stage.ts'
import { reorgBlocksMaxDefault, type Stage } from '../../schemas/stage.ts'
import type { Topic } from '../../schemas/topics.ts'
import type { Config } from '../config.ts'
import { OperationError } from '../errors.ts'

export type ReplayedStage = Readonly<{
  stage: Stage
  /** The deepest reorg of the stage's chain, in blocks. */
  reorgBlocksMax: number
}>

/** The stages whose topics may be exported. The stage of the chats is not one of them. */
export const replayedStages = (config: Pick<Config, 'CHAIN_A_REORG_BLOCKS_MAX'>): readonly ReplayedStage[] => [
  { stage: chainAStage, reorgBlocksMax: config.CHAIN_A_REORG_BLOCKS_MAX },
  { stage: chainBStage, reorgBlocksMax: reorgBlocksMaxDefault },
]

/** The stages whose topics the owner may keep as files: also that of the chats. */
export const archivedStages = (config: Pick<Config, 'CHAIN_A_REORG_BLOCKS_MAX'>): readonly ReplayedStage[] => [
  ...replayedStages(config),
  { stage: chatsStage, reorgBlocksMax: reorgBlocksMaxDefault },
]

/** The names of the wanted types and topics. */
export type Selection = Readonly<{
  /** The names of record types. Default: all types. */
  types?: readonly string[]
  /** The names of topics. Default: all topics that contain one of the types. */
  topics?: readonly string[]
}>

export type SelectedTopic = ReplayedStage & Readonly<{ topic: Topic; isFacts: boolean; types: ReadonlySet<string> }>

/** Returns the topics that contain wanted records. Fails with `config_invalid` for an unknown name. */
export function selectTopics(stages: readonly ReplayedStage[], { types, topics }: Selection): readonly SelectedTopic[] {
  const all = stages.flatMap((replayed): SelectedTopic[] =>
    [replayed.stage.factTopic, replayed.stage.derivedTopic].map((topic) => ({
      ...replayed,
      topic,
      isFacts: topic === replayed.stage.factTopic,
      types: new Set(Object.keys(topic.schemas ?? {})),
    })),
  )
  const known = {
    types: new Set(all.flatMap(({ types: its }) => [...its])),
    topics: all.map(({ topic }) => topic.name),
  }
  refuseUnknown('record type', types ?? [], [...known.types])
  refuseUnknown('topic', topics ?? [], known.topics)
  return all
    .filter(({ topic }) => topics === undefined || topics.includes(topic.name))
    .map((selected) => ({
      ...selected,
      types: new Set([...selected.types].filter((type) => types?.includes(type) ?? true)),
    }))
    .filter(({ types: wanted }) => wanted.size > 0)
}

/** Returns the stages of the named topics. Without names, returns all. Fails with `config_invalid` for an unknown name. */
export function stagesOf(stages: readonly ReplayedStage[], topics?: readonly string[]): readonly ReplayedStage[] {
  const named = selectTopics(stages, topics === undefined ? {} : { topics })
  return stages.filter(({ stage }) => named.some((selected) => selected.stage === stage))
}

function refuseUnknown(what: string, names: readonly string[], known: readonly string[]): void {
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw new OperationError(
      'config_invalid',
      `there is no ${what} ${unknown}. The ${what}s are ${[...known].sort().join(', ')}`,
    )
}
