/** What one chain brings to the API. The chains are listed in `routes.ts`. */
import type { BotCards } from '../projections/chats/queries/bot-cards.ts'
import type { StageCut } from '../projections/cuts.ts'
import type { Stage, StageRecord } from '../schemas/stage.ts'
import type { DeskPart } from './desk-part.ts'
import type { ToldRecord } from './record/told-record.ts'
import type { Route } from './route.ts'
import type { SamplePart } from './sample.ts'
import type { SnapshotPart } from './snapshot.ts'
import type { StreamPart } from './stream-part.ts'
import type { ToldGaps } from './trade-gaps.ts'

/** How much there is, for the free routes; they show the sums over all chains. */
export type Counts = Readonly<{ bursts24h: number; poolsTracked: number }>

/** A derived record in a line for a person; `atMs`: when it happened. */
type Headline = Readonly<{ atMs: number; text: string }>

export type ApiChain = Readonly<{
  stage: Stage
  routes: readonly Route[]
  /** Null: the chain has no object in the snapshot. */
  snapshot: SnapshotPart | null
  /** Null: the chain has no paper desk. */
  desk: DeskPart | null
  /** Null: the chain has no object in the free sample. */
  sample: SamplePart | null
  counts(cut: StageCut): Promise<Counts>
  /** How well the posts of scanner bots are read, for the health. Left out: the chain has no posts. */
  botCards?(cut: StageCut): Promise<readonly BotCards[]>
  /** Gaps in the trades of the last 24 h. Left out: the stage has no trades. */
  gapCounts?(cut: StageCut): Promise<ToldGaps>
  /** Left out: nothing is told of what was watched and corrected. */
  record?: ToldRecord
  /** Null: nothing of the chain is pushed. */
  stream: StreamPart | null
  /** A line about a record that is pushed. Null: the record is no news. */
  headlineOf(key: string, record: StageRecord): Headline | null
}>
