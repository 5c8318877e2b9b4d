/** A chain as ingest sees it: one value. The generic modules of ingest work on any `Chain` and name none. */
import type { Stage } from '../schemas/stage.ts'
import type { DurationMs, EpochMs } from '../schemas/units.ts'
import type { FollowedTokens } from './followed-tokens.ts'
import type { Lookup } from './lookups/lookup.ts'
import type { ChainSource, ChainTypes, PriceReader } from './source.ts'

/**
 * What is fixed about a chain, wherever its facts come from. Methods, not properties: a list holds chains of any types.
 * No `Readonly<…>` around it: TypeScript would not infer the types of a chain from the chain.
 */
export type ChainDefinition<Types extends ChainTypes = ChainTypes> = {
  /** Its name is part of the writer ids, so that chains on one log do not fence each other. */
  readonly stage: Stage<Types['stage']>
  readonly addressBook: AddressBookDefinition<Types>
  /** Identifies a fact: the same fact read again has the same id, one of another branch has another. */
  factIdOf(fact: Types['stage']['fact']): string
  /** Rises strictly within a block. Fractions are allowed. */
  orderInBlock(fact: Types['stage']['fact']): number
}

export type Chain<Types extends ChainTypes = ChainTypes> = ChainDefinition<Types> &
  Readonly<{
    source: ChainSource<Types>
    /** The price of the chain's own coin. Null: ticks carry no price. */
    readPrice: PriceReader | null
    /** May be empty. */
    lookups: readonly Lookup[]
  }>

/** The addresses that ingest follows, kept on the compacted topic `addresses`, which all chains share. */
export type AddressBookDefinition<Types extends ChainTypes = ChainTypes> = Readonly<{
  /**
   * Stands before the chain's keys on the topic, so that each chain reads and removes only its own: `<stage name>/`.
   * Empty for the one chain whose keys were released before there was a second; its keys hold no `/`.
   */
  keyPrefix: string
  /** How long an entry is kept past its life, because a reorg may go back into it. */
  forgetAfterMs: DurationMs
  /** The key without the prefix. */
  keyOf(record: Types['address']): string
  /** Entries of called tokens live longer. */
  createMaps(followed?: FollowedTokens): AddressMaps<Types>
}>

/** The address book in memory. Keys are those of `keyOf`. */
export type AddressMaps<Types extends ChainTypes = ChainTypes> = Readonly<{
  known: Types['known']
  put(record: Types['address']): void
  drop(key: string): void
  /** The keys of the entries that are past their life at this block time. */
  expired(atMs: EpochMs): string[]
}>
