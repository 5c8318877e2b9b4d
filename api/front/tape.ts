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

/** `seen`: the overview whose lines the viewer has. Null: it has none yet. */
type Viewer = { readonly address: string; seen: Overview | null }

export function createTape({ overview, logFailure, everyMs = gridMs }: Options): Tape {
  const viewers = new Map<Outlet, Viewer>()
  let isOver = false
  /** The event of the newest overview. It is made once for all viewers. */
  let last: Readonly<{ overview: Overview; event: Buffer }> | null = null

  const newest = async () => {
    const found = await overview()
    if (last?.overview !== found) last = { overview: found, event: eventOf(found) }
    return last
  }
  /** Sends the newest lines to those of the viewers that do not have them. */
  const renew = async (outlets: readonly Outlet[]) => {
    if (outlets.length === 0) return
    try {
      const { overview: found, event } = await newest()
      // The tape may have ended, and viewers may have left, while the overview was computed.
      if (!isOver) for (const outlet of outlets) renewOne(outlet, { found, event })
    } catch (error) {
      logFailure({ err: error }, 'the tape of the front page could not be renewed')
    }
  }
  const renewOne = (outlet: Outlet, { found, event }: Readonly<{ found: Overview; event: Buffer }>) => {
    const viewer = viewers.get(outlet)
    if (viewer === undefined) return
    sendTo(outlet, viewer.seen === found ? stillHere : event)
    viewer.seen = found
  }
  const timer = setInterval(() => void renew([...viewers.keys()]), everyMs).unref()

  return {
    subscribe(address, open) {
      if (isOver) return over
      if (viewers.size >= viewersMax) return full
      const own = [...viewers.values()].filter((one) => one.address === address).length
      if (own >= viewersOfAddressMax) return fullOfAddress
      const outlet = open()
      viewers.set(outlet, { address, seen: null })
      outlet.onceClosed(() => viewers.delete(outlet))
      outlet.send(stillHere)
      // The page of the viewer may be older than the newest overview.
      void renew([outlet])
      return null
    },
    end() {
      isOver = true
      clearInterval(timer)
      for (const outlet of viewers.keys()) outlet.finish(Buffer.alloc(0))
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
