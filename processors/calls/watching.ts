/**
 * What the processor of calls needs of the 48-hour watch (`watch.ts`). The processor finds the prices and keeps the order of
 * things; the watch counts posts and samples. It is plain data, and its functions change it in place.
 */
import type { Call, PriceAsked } from '../../schemas/calls/derived.ts'
import type { Mentioned, PriceAnswered } from '../../schemas/calls/facts.ts'
import type { Hex } from '../../schemas/units.ts'
import type { Quote } from './prices.ts'

export type WatchRecord = Readonly<{ type: 'Call'; data: Call }> | Readonly<{ type: 'PriceAsked'; data: PriceAsked }>

/** What a step of the watch asks for: records to emit, in order, and instants to be called at (`onSample`). They may be past. */
export type WatchStep = Readonly<{ records: readonly WatchRecord[]; wakeAtMs: readonly number[] }>

export type Watching<Watch> = Readonly<{
  /**
   * Begins a watch with a call that no watch covers, once block time has passed the post. `quote` is that of the post. Null:
   * the token is not tracked, and the watch asks for its price at `postedAtMs`; chain A reads the answer too.
   */
  open(token: string, mention: Mentioned, quote: Quote | null): Readonly<{ watch: Watch; step: WatchStep }>
  /** A further post within the watch, of any kind and any instant, each once. */
  onMention(watch: Watch, mention: Mentioned, quote: Quote | null): WatchStep
  /** The market that samples are read from while it is tracked: that of the anchor, or what it became. Null: there is no anchor. */
  marketOf(watch: Watch): Hex | null
  /** Block time has passed an instant that a step asked for. `quote` is that instant’s. */
  onSample(watch: Watch, dueAtMs: number, quote: Quote | null): WatchStep
  /** Any answer for the token: it may be to another’s question, or to one of a branch that a reorg left. */
  onPrice(watch: Watch, answer: PriceAnswered): WatchStep
  /** A burst after the first post. It may have happened before the post was known. */
  onBurst(watch: Watch, tier: string, atMs: number): WatchStep
}>
