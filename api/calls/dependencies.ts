/** The dependencies of the routes about calls: the queries, the chains whose tokens chats name, and a secret. */
import type { CallsQueries } from '../../projections/calls/queries/calls-queries.ts'
import type { Cut } from '../../projections/cuts.ts'
import type { CalledChain } from './parts.ts'
import type { CallPresentation } from './resources/call.ts'
import type { NamedChain } from './resources/identifiers.ts'

/** `callerIdSecret`: the key of the keyed hashes that name callers and chats in answers. */
export type CallsDependencies = Readonly<{
  queries: CallsQueries
  chains: readonly CalledChain[]
  callerIdSecret: string
}>

/**
 * Returns the public names of the chain with this stage name. If the chain is not configured, as in example rows, the stage name is also
 * the public name.
 */
export const namedChainOf = ({ chains }: Pick<CallsDependencies, 'chains'>, name: string): NamedChain =>
  chains.find(({ stage }) => stage.name === name) ?? { wireName: name, idLetter: name.slice(-1) }

export const presentationOf = (dependencies: CallsDependencies, { atMs }: Pick<Cut, 'atMs'>): CallPresentation => ({
  atMs,
  callerIdSecret: dependencies.callerIdSecret,
  chainOf: (name) => namedChainOf(dependencies, name),
})
