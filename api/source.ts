/** Where facts come from, as the API sees it: what a source brings to answers. The sources are listed in `sources.ts`. */

import type { BotCards } from '../projections/chats/queries/bot-cards.ts'
import type { StageCut } from '../projections/cuts.ts'
import type { Stage, StageRecord } from '../schemas/stage.ts'
import type { EpochMs } from '../schemas/units.ts'
import type { CalledChain, PostsPart } from './calls/parts.ts'
import type { DeskPart } from './desk/parts.ts'
import type { ToldRecord } from './record/told-record.ts'
import type { Route } from './route.ts'
import type { SamplePart } from './sample.ts'
import type { SnapshotPart } from './snapshot.ts'
import type { StreamPart } from './stream-part.ts'
import type { ToldGaps } from './trade-gaps.ts'

/** How much there is, for the free routes; they show the sums over all sources. */
export type Counts = Readonly<{ bursts24h: number; poolsTracked: number }>

/** A derived record in a line for a person; `atMs`: when it happened. */
type Headline = Readonly<{ atMs: EpochMs; text: string }>

/** A source leaves out what it does not have. */
export type ApiSource = Readonly<{
  stage: Stage
  /** What is sold of this source alone. Products that several sources share are listed in `products.ts`. */
  routes?: readonly Route[]
  /** Its object in the snapshot. */
  snapshot?: SnapshotPart
  /** Its paper desk. */
  desk?: DeskPart
  /** Its tokens are called in chats. */
  called?: CalledChain
  /** It tells of posts, from which calls are made. */
  posts?: PostsPart
  /** Its object in the free sample. */
  sample?: SamplePart
  counts?(cut: StageCut): Promise<Counts>
  /** How well the posts of scanner bots are read, for the health. */
  botCards?(cut: StageCut): Promise<readonly BotCards[]>
  /** Gaps in its trades of the last 24 h. */
  gapCounts?(cut: StageCut): Promise<ToldGaps>
  /** What was watched of it and corrected. */
  record?: ToldRecord
  /** What is pushed. */
  stream?: StreamPart
  /** A line about a record that is pushed. Null: the record is no news. */
  headlineOf?(key: string, record: StageRecord): Headline | null
}>
