/** What the product of calls needs from each chain and from the chats. */
import type { CalledChain as ProjectedChain } from '../../projections/calls/called-chain.ts'
import type { CallsQueries } from '../../projections/calls/queries/calls-queries.ts'
import type { RequiredSource } from '../route.ts'

/** A chain whose tokens can be called in chats. */
export type CalledChain = ProjectedChain &
  Readonly<{
    /** The public name of the chain, as in answers. */
    wireName: string
    /** The letter of the chain in the ids of its calls. */
    idLetter: string
    source: Omit<RequiredSource, 'maxAgeMs'>
    /** Whether an external provider, besides the chain’s node, gives prices of tokens. */
    hasPriceProvider: boolean
  }>

/**
 * The data that the chats add to the product of calls. `callerIdSecret`: the key of the keyed hashes that
 * name callers and chats in answers.
 */
export type PostsPart = Readonly<{
  queriesOf(chains: readonly ProjectedChain[]): CallsQueries
  callerIdSecret: string
}>
