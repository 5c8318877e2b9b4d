/** The dependencies of the routes about calls. A call is a token that was named in a followed chat. */
import type { CallsQueries } from '../../projections/calls/queries/calls-queries.ts'
import type { Cut } from '../../projections/cuts.ts'
import type { CalledChain } from './parts.ts'
import type { CallPresentation } from './resources/call.ts'
import type { NamedChain } from './resources/identifiers.ts'

/**
 * `callerIdSecret`: the secret key of the HMAC. The HMAC turns ids of callers and chats into the hashes that
 * answers show.
 */
export type CallsDependencies = Readonly<{
  queries: CallsQueries
  chains: readonly CalledChain[]
  callerIdSecret: string
}>

/**
 * Returns the public names of a chain. `name`: the internal name of the chain. If no configured chain has
 * this name, as in example rows, the internal name is also the public name.
 */
export const namedChainOf = ({ chains }: Pick<CallsDependencies, 'chains'>, name: string): NamedChain =>
  chains.find(({ stage }) => stage.name === name) ?? { wireName: name, idLetter: name.slice(-1) }

export const presentationOf = (dependencies: CallsDependencies, { atMs }: Pick<Cut, 'atMs'>): CallPresentation => ({
  atMs,
  callerIdSecret: dependencies.callerIdSecret,
  chainOf: (name) => namedChainOf(dependencies, name),
})
