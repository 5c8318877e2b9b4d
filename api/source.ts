/**
 * The type of a source: a chain or the chats, with its parts in the API. The sources are listed in
 * `sources.ts`.
 */

import type { BotCards } from '../projections/chats/queries/bot-cards.ts'
import type { StageCut } from '../projections/cuts.ts'
import type { Stage, StageRecord } from '../schemas/stage.ts'
import type { EpochMs } from '../schemas/units.ts'
import type { CalledChain, PostsPart } from './calls/parts.ts'
import type { DeskPart } from './desk/parts.ts'
import type { FrontPart } from './front/parts.ts'
import type { TrackRecord } from './record/track-record.ts'
import type { Route } from './route.ts'
import type { SamplePart } from './sample.ts'
import type { SnapshotPart } from './snapshot.ts'
import type { StreamPart } from './stream-part.ts'
import type { GapCountsAnswer } from './trade-gaps.ts'

/** Counts of a source for the free routes, which show the sums over all sources. */
export type Counts = Readonly<{ bursts24h: number; poolsTracked: number }>

/**
 * A line of text for a person about a record that the rules computed, such as a burst. `atMs`: when the event
 * of the record happened.
 */
type Headline = Readonly<{ atMs: EpochMs; text: string }>

/** The parts of a source in the API. A part is absent if the source has nothing for it. */
export type ApiSource = Readonly<{
  stage: Stage
  /** The paid routes that use only this source. Products of several sources are listed in `products.ts`. */
  routes?: readonly Route[]
  snapshot?: SnapshotPart
  desk?: DeskPart
  /** Present if chats can name tokens of this source (calls). */
  called?: CalledChain
  /** The chat data from which calls are made. A call is a token that a post in a chat names. */
  posts?: PostsPart
  sample?: SamplePart
  front?: FrontPart
  counts?(cut: StageCut): Promise<Counts>
  /**
   * Returns two numbers for each scanner bot: its posts, and its posts that could not be parsed. `/v1/health`
   * shows these numbers.
   */
  botCards?(cut: StageCut): Promise<readonly BotCards[]>
  /** Returns how many gaps (series of missing trades) are known in the source's trades of the last 24 h. */
  gapCounts?(cut: StageCut): Promise<GapCountsAnswer>
  record?: TrackRecord
  stream?: StreamPart
  /** Returns a line of text about a published record, or null if the record is not worth a line. */
  headlineOf?(key: string, record: StageRecord): Headline | null
}>
