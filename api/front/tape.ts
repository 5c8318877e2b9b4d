/** The tape of the front page: pushes the lines of each new overview to all viewers, as server-sent events. */
import type { FailureLog } from '../http/failure-log.ts'
import { type Refusal, refuse } from '../sale/refusals.ts'
import type { Outlet } from '../stream/clients.ts'
import { linesOf } from './lines.ts'
import { gridMs, type Overview } from './overview.ts'
import { lineOf } from './page.ts'

export type Tape = Readonly<{
  /** Opens the connection of a viewer and returns null, or returns the refusal. */
  subscribe(address: string, open: () => Outlet): Refusal | null
  /** Ends all connections, and accepts no new ones. */
  end(): void
  viewers(): number
}>

/** The maximum number of viewers. Connections of buyers are not counted here. */
const viewersMax = 1_000
const viewersOfAddressMax = 20
/** The maximum number of bytes that may wait in this process for a viewer. */
const waitingBytesMax = 128 * 1024

type Options = Readonly<{ overview: () => Promise<Overview>; logFailure: FailureLog; everyMs?: number }>

export function createTape({ overview, logFailure, everyMs = gridMs }: Options): Tape {
  const viewers = new Map<Outlet, string>()
  let isOver = false
  /** The last event. A new viewer gets it at once, because the page may be older. */
  let last: Readonly<{ overview: Overview; event: Buffer }> | null = null
  let isAsking = false

  /** Returns the event of the newest overview, or a comment if the overview is the one before. */
  const nextEvent = async (): Promise<Buffer> => {
    const newest = await overview()
    if (last?.overview === newest) return stillHere
    last = { overview: newest, event: eventOf(newest) }
    return last.event
  }
  const refresh = async () => {
    if (isAsking || viewers.size === 0) return
    isAsking = true
    try {
      const event = await nextEvent()
      for (const outlet of viewers.keys()) sendTo(outlet, event)
    } catch (error) {
      logFailure({ err: error }, 'the tape of the front page could not be renewed')
    } finally {
      isAsking = false
    }
  }
  const timer = setInterval(() => void refresh(), everyMs).unref()

  return {
    subscribe(address, open) {
      if (isOver) return over
      if (viewers.size >= viewersMax) return full
      const own = [...viewers.values()].filter((one) => one === address).length
      if (own >= viewersOfAddressMax) return fullOfAddress
      const outlet = open()
      viewers.set(outlet, address)
      outlet.onceClosed(() => viewers.delete(outlet))
      outlet.send(last?.event ?? stillHere)
      if (last === null) void refresh()
      return null
    },
    end() {
      isOver = true
      clearInterval(timer)
      for (const [outlet] of viewers) outlet.finish(Buffer.alloc(0))
    },
    viewers: () => viewers.size,
  }
}

function sendTo(outlet: Outlet, event: Buffer): void {
  if (outlet.waitingBytes() > waitingBytesMax) outlet.destroy()
  else outlet.send(event)
}

/** A comment, which shows proxies and browsers that the connection is alive. */
const stillHere = Buffer.from(': still here\n\n')

function eventOf(overview: Overview): Buffer {
  // The viewer puts each line before the one before, so the oldest comes first.
  const lines = linesOf(overview)
    .toReversed()
    .map((line) => ({ id: line.id, chain: line.chain, html: lineOf(line).html }))
  return Buffer.from(`event: lines\ndata: ${JSON.stringify(lines)}\n\n`)
}

const over = refuse('warming_up', 'the service is stopping. Open the page again in some seconds', 10)
const full = refuse(
  'too_many_connections',
  'the tape has its maximum number of viewers. Reload the page for new lines',
  60,
)
const fullOfAddress = refuse(
  'too_many_connections',
  `your address already has ${viewersOfAddressMax} connections to the tape, which is the limit. Close one of them`,
  60,
)
