import type { ChainBAddress, GraduatedPoolAddress, MintAddress } from '../../schemas/chain-b/addresses.ts'
import type { ChainBFact } from '../../schemas/chain-b/facts.ts'
import type { ChainBTypes } from '../../schemas/chain-b/stage.ts'
import type { Chain } from '../chain.ts'
import type { FollowedTokens } from '../followed-tokens.ts'
import type { ChainSource, FactRange, KeyedFact, KnownChain } from '../source.ts'

export type ChainBIngestTypes = Readonly<{ stage: ChainBTypes; address: ChainBAddress; known: KnownMints }>

export type ChainB = Chain<ChainBIngestTypes>
export type ChainBSource = ChainSource<ChainBIngestTypes>
export type KnownChainB = KnownChain<KnownMints, ChainBFact>
export type ChainBRange = FactRange<ChainBIngestTypes>
/** A fact about a mint, with the key under which it is recorded. The key is the mint in base58. */
export type MintFact = KeyedFact<ChainBFact>

/** The address book: the mints and pools that ingest follows. The keys of both maps are addresses in hex. */
export type KnownMints = Readonly<{
  mints: ReadonlyMap<string, MintAddress>
  pools: ReadonlyMap<string, GraduatedPoolAddress>
  /** The mints that chats have recommended. Ingest follows these mints for longer. */
  followed: FollowedTokens
}>
