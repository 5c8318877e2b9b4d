/**
 * The sources of data: two chains and the chats. Answers list them in this order. Add a new source to this
 * file.
 */
import { chainAConfig } from './chain-a.ts'
import { chainBConfig } from './chain-b.ts'
import { chatsConfig } from './chats.ts'
import type { SourceConfig } from './source-config.ts'

/** The sources by name. The stage that processes the data of a source has the same name. */
const sources = { 'chain-a': chainAConfig, 'chain-b': chainBConfig, chats: chatsConfig } as const

export type SourceName = keyof typeof sources

export const sourceVariables = { ...chainAConfig.variables, ...chainBConfig.variables, ...chatsConfig.variables }

type Named = readonly [SourceName, SourceConfig]

/**
 * The sources with their names. The functions of a source accept the whole configuration, because they ignore
 * the variables of other sources.
 */
export const namedSources = Object.entries(sources) as unknown as readonly Named[]
