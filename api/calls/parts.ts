/** What sources bring to the product of calls. */
import type { CalledChain as ProjectedChain } from '../../projections/calls/called-chain.ts'
import type { CallsQueries } from '../../projections/calls/queries/calls-queries.ts'
import type { RequiredSource } from '../route.ts'

/** A chain whose tokens are called. */
export type CalledChain = ProjectedChain &
  Readonly<{
    /** The name that the outside sees. */
    wireName: string
    /** In the ids of calls. */
    idLetter: string
    source: Omit<RequiredSource, 'maxAgeMs'>
    /** Somebody beside the chain’s node can be asked for the price of a token. */
    hasPriceProvider: boolean
  }>

/** A source of posts. `callerIdSecret`: the key of the hashes that stand for callers and chats. */
export type PostsPart = Readonly<{
  queriesOf(chains: readonly ProjectedChain[]): CallsQueries
  callerIdSecret: string
}>
