import type { ChainAAddress, CurveAddress, PoolAddress } from '../../schemas/chain-a/addresses.ts'
import type { ChainAFact } from '../../schemas/chain-a/facts.ts'
import type { ChainATypes } from '../../schemas/chain-a/stage.ts'
import type { PoolId } from '../../schemas/units.ts'
import type { Chain } from '../chain.ts'
import type { FollowedTokens } from '../followed-tokens.ts'
import type { ChainSource, FactRange, KeyedFact, KnownChain } from '../source.ts'

export type ChainAIngestTypes = Readonly<{ stage: ChainATypes; address: ChainAAddress; known: KnownAddresses }>

export type ChainA = Chain<ChainAIngestTypes>
export type ChainASource = ChainSource<ChainAIngestTypes>
export type ChainARange = FactRange<ChainAIngestTypes>
export type KnownChainA = KnownChain<KnownAddresses, ChainAFact>
/** A fact with the key under which it is recorded. The key is the address of the token, in lower case. */
export type TokenFact = KeyedFact<ChainAFact>

/** The addresses whose EVM logs become facts. */
export type KnownAddresses = Readonly<{
  pools: ReadonlyMap<string, PoolAddress>
  /** The pool of each position NFT. The map's key is the id of the NFT. */
  positions: ReadonlyMap<string, PoolId>
  curves: ReadonlyMap<string, CurveAddress>
  /** The tokens that chats have recommended. Ingest follows the pools of these tokens for longer. */
  followed: FollowedTokens
}>
