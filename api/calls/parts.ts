/** What the routes about calls need from each chain and from the chats. */
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
 * The chat data for the routes about calls. `callerIdSecret`: the secret key of the HMAC. The HMAC turns ids
 * of callers and chats into the hashes that answers show.
 */
export type PostsPart = Readonly<{
  /** Returns the same queries at each call. `chains` must be the same at each call. */
  queriesOf(chains: readonly ProjectedChain[]): CallsQueries
  callerIdSecret: string
}>
