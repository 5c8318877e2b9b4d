/** The events of the stream, as a client gets them. */
import type { RowEventName, RowOf } from './routes.ts'

/** `id` names the row, `at` is the time of its block, and `knownAt` the time at which the service knew it. */
type AboutRow<Type extends string, Row> = Readonly<{
  type: Type
  chain: string
  id: string
  at: number
  knownAt: number
  row: Row
}>

type Progress = Readonly<{ knownAt: number; block: number; blockAt: number }>
type Progresses = Readonly<Record<string, Progress | null>>

type RowEvents = { readonly [Name in RowEventName]: AboutRow<Name, RowOf<Name>> }

export type StreamEvents = RowEvents &
  Readonly<{
    /** A reorg changed the row. */
    restated: AboutRow<'restated', RowOf<RowEventName>> & Readonly<{ of: RowEventName }>
    /** A reorg removed the row. */
    withdrawn: AboutRow<'withdrawn', null> & Readonly<{ of: RowEventName }>
    hello: Readonly<{ type: 'hello'; at: number; expiresAt: number; heartbeatMs: number; chains: Progresses }>
    heartbeat: Readonly<{ type: 'heartbeat'; at: number; chains: Progresses }>
    watermark: Readonly<{ type: 'watermark'; at: number; chain: string }> & Progress
    /** All events after the cursor `from` were sent again. The client has checked their `count` and `hash`. */
    'caught-up': Readonly<{ type: 'caught-up'; at: number; from: string; count: number; hash: string }>
    bye: Readonly<{ type: 'bye'; at: number; reason: 'expired' | 'replaced' | 'too_slow' | 'shutdown' | 'failed' }>
  }>

export type StreamEventName = keyof StreamEvents

/** Events about the stream itself. All others are about rows. */
const controlNames = [
  'hello',
  'heartbeat',
  'watermark',
  'caught-up',
  'bye',
] as const satisfies readonly StreamEventName[]

export type RowOrCorrection = Exclude<StreamEventName, (typeof controlNames)[number]>

/** Whether an event is about a row. The service may add events about further rows. */
export const isAboutRow = (name: string): boolean => !controlNames.some((control) => control === name)
