import type { Logger } from '../../../infra/telemetry.ts'
import type { DurationMs, EpochMs } from '../../../schemas/units.ts'
import type { Delay } from '../../delay.ts'
import type { ChainSource } from '../../source.ts'
import { openReader } from '../node/open-reader.ts'
import type { ChainBReader } from '../node/reader.ts'
import type { ChainBIngestTypes } from '../types.ts'
import { createCurveFinder } from './find-curves.ts'
import { createListedSlots } from './listed-slots.ts'
import type { ReserveMemory } from './reserve-memory.ts'
import { createRpcSource } from './rpc-source.ts'
import type { SlotReader } from './slot-reader.ts'
import { createSubscription } from './subscription.ts'
import { createWholeSlots } from './whole-slots.ts'

/**
 * The node that ingest reads from. A `plain` node of any provider cannot list transactions by slot, so ingest
 * then reads whole blocks.
 */
export type ChainBNode =
  | Readonly<{ kind: 'helius'; url: string; wsUrl: string }>
  | Readonly<{ kind: 'plain'; url: string }>

export type RpcSourceSettings = Readonly<{
  node: ChainBNode
  /**
   * The reader of this node. Other code uses the same reader, so all requests stop together if the node asks
   * for a pause. Default: a new reader.
   */
  reader?: ChainBReader
  lookBackSlots: number
  logger: Logger
  reorgSlotsMax?: number
  pollMs?: DurationMs
  nowMs?: () => EpochMs
  delay?: Delay
  /** Waits for a given time. Used to send a slow request again. Tests replace this function. */
  timer?: Delay
  timeoutMs?: DurationMs
  triesMax?: number
  reserves?: ReserveMemory
}>

/**
 * The time between two requests for the newest slot, in milliseconds. Each range of slots from Helius takes
 * several paid requests, so Helius is asked less often.
 */
const pollMsOf = { helius: 1000, plain: 500 } as const

type NodeSettings = Omit<RpcSourceSettings, 'lookBackSlots' | 'logger' | 'reserves' | 'reader'> &
  Readonly<{ logger?: Logger }>

export const openNode = ({ node, ...options }: NodeSettings): ChainBReader =>
  openReader({ ...options, url: node.url, isHelius: node.kind === 'helius' })

export function openRpcSource(settings: RpcSourceSettings): ChainSource<ChainBIngestTypes> {
  const { reader = openNode(settings) } = settings
  const { node, pollMs = pollMsOf[node.kind] } = settings
  const findCurves = createCurveFinder(reader)
  return createRpcSource({ ...settings, reader, slots: slotsOf(settings, reader), findCurves, pollMs })
}

function slotsOf({ node, logger, delay, timeoutMs }: RpcSourceSettings, reader: ChainBReader): SlotReader {
  if (node.kind === 'plain') return createWholeSlots(reader, logger)
  const subscribe = createSubscription({
    ...{ url: node.wsUrl, logger, openMsMax: timeoutMs },
    ...(delay && { delay }),
  })
  return createListedSlots({ reader, subscribe, logger })
}
