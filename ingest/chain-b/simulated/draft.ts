import type { ChainBEvent } from '../../../schemas/chain-b/facts.ts'
import type { ChainPlace } from '../../../schemas/chain-place.ts'
import type { BlockNumber } from '../../../schemas/units.ts'

type Added = keyof ChainPlace | 'lateSlot' | 'lateAtMs'
type DraftOf<Fact> = Fact extends { type: infer Type; data: infer Data }
  ? { type: Type; data: Omit<Data, Added> }
  : never

/** A fact (a decoded chain event) without its slot, transaction and index. `market.ts` adds these. */
export type Draft = DraftOf<ChainBEvent>

/** One transaction of a mint, with at least one fact. */
export type Transaction = Readonly<{ slot: BlockNumber; drafts: readonly Draft[] }>
