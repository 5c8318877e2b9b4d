/** The sources, in the order of answers. A source is added here. */
import { chainAConfig } from './chain-a.ts'
import { chainBConfig } from './chain-b.ts'
import { chatsConfig } from './chats.ts'
import type { SourceConfig } from './source-config.ts'

/** By the names of their stages. */
const sources = { 'chain-a': chainAConfig, 'chain-b': chainBConfig, chats: chatsConfig } as const

export type SourceName = keyof typeof sources

export const sourceVariables = { ...chainAConfig.variables, ...chainBConfig.variables, ...chatsConfig.variables }

type Named = readonly [SourceName, SourceConfig]

/** Each reads its own variables alone, so any of them takes the whole configuration. */
export const namedSources = Object.entries(sources) as unknown as readonly Named[]
