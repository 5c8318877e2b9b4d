/** What the routes of calls answer from: the chats, and the chains whose tokens they name. */
import type { CallsQueries } from '../../projections/calls/queries/calls-queries.ts'
import type { Cut } from '../../projections/cuts.ts'
import type { CalledChain } from './parts.ts'
import type { CallPresentation } from './resources/call.ts'
import type { NamedChain } from './resources/identifiers.ts'

/** `callerIdSecret`: the key of the hashes that stand for callers and chats. */
export type CallsDependencies = Readonly<{
  queries: CallsQueries
  chains: readonly CalledChain[]
  callerIdSecret: string
}>

/** Rows are of chains that are there; example rows may be of another. */
export const namedChainOf = ({ chains }: Pick<CallsDependencies, 'chains'>, name: string): NamedChain =>
  chains.find(({ stage }) => stage.name === name) ?? { wireName: name, idLetter: name.slice(-1) }

export const presentationOf = (dependencies: CallsDependencies, { atMs }: Pick<Cut, 'atMs'>): CallPresentation => ({
  atMs,
  callerIdSecret: dependencies.callerIdSecret,
  chainOf: (name) => namedChainOf(dependencies, name),
})
