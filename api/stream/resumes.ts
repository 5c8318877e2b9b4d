/** Opens connections that begin with the events after a cursor. Limits and counts them. */
import { isOperationError } from '../../infra/errors.ts'
import type { Logger } from '../../infra/telemetry.ts'
import { type Refusal, refuse } from '../sale/refusals.ts'
import type { Broadcast } from './broadcast.ts'
import type { CatchUpResult } from './catch-up.ts'
import { type ClientBehind, type Clients, connectionsOfPassMax, createPlaces, type Outlet } from './clients.ts'
import type { Cursor } from './cursor.ts'
import type { CursorCheck } from './cursor-check.ts'
import type { Pass } from './passes.ts'

/** `refused`: because of the cursor. `ended`: the client left or was disconnected. `failed`: the log could not be read. */
export type ResumeCounts = Readonly<{ done: number; ended: number; failed: number; refused: number }>

export type Resumes = Readonly<{
  /** Returns the reason why the cursor is refused, or null. Counts toward the limits while the cursor is checked. */
  refusalOf(asked: Pick<Resuming, 'pass' | 'cursor'>): Promise<Refusal | null>
  /**
   * Opens the connection and sends the events after the cursor. Or returns the refusal.
   */
  begin(resuming: Resuming): Promise<Refusal | null>
  /** The number of clients that get earlier events now, or whose cursor is checked. */
  running(): number
  counts(): ResumeCounts
  /** The number of events that were sent again. */
  eventCount(): number
}>

type Resuming = Readonly<{
  pass: Pass
  address: string
  cursor: string
  /** Called after the check of the cursor. Returns the refusal of the client, or null. */
  judgeAgain(): Refusal | null
  /** Returns null if the client has disconnected. */
  open(): Outlet | null
}>

type ResumeDependencies = Readonly<{
  check: CursorCheck
  catchUp(client: ClientBehind, from: Cursor): Promise<CatchUpResult>
  clients: Pick<Clients, 'addBehind'>
  broadcast: Pick<Broadcast, 'helloFor'>
  logger: Pick<Logger, 'warn' | 'error'>
}>

/** The maximum number of catch-ups at a time. Each holds at most some megabytes of the log. */
const catchUpsMax = 32

export function createResumes({ check, catchUp, clients, broadcast, logger }: ResumeDependencies): Resumes {
  const places = createPlaces()
  const counts = { done: 0, ended: 0, failed: 0, refused: 0 }
  let running = 0
  let eventCount = 0

  const fail = (error: unknown) => {
    counts.failed += 1
    if (isOperationError(error))
      logger.warn({ err: error }, 'a client cannot get earlier events. The log is not readable')
    else logger.error({ err: error }, 'a client cannot get earlier events')
  }
  const run = async (client: ClientBehind, from: Cursor) => {
    try {
      const { state, count } = await catchUp(client, from)
      counts[state] += 1
      eventCount += count
    } catch (error) {
      fail(error)
      client.end('failed')
    }
  }
  /** Checks the cursor. A log that cannot be read is a refusal. */
  const checkNow = async (cursor: string): ReturnType<CursorCheck> => {
    try {
      const checked = await check(cursor)
      if ('refusal' in checked) counts.refused += 1
      return checked
    } catch (error) {
      fail(error)
      return { refusal: unreadable }
    }
  }
  const openAfterCheck = async ({ pass, address, cursor, judgeAgain, open }: Resuming, leave: () => void) => {
    const checked = await checkNow(cursor)
    const refusal = 'refusal' in checked ? checked.refusal : judgeAgain()
    const outlet = refusal === null ? open() : null
    if (outlet === null || 'refusal' in checked) {
      leave()
      return refusal
    }
    const client = clients.addBehind({ pass, address, outlet }, broadcast.helloFor(pass, cursor))
    void run(client, checked.cursor).finally(leave)
    return null
  }
  const refusalFor = ({ id }: Pass): Refusal | null => {
    if (places.count(id) >= connectionsOfPassMax) return tooManyOfPass
    return running >= catchUpsMax ? tooMany : null
  }
  /** Takes a place for the pass. Returns a function that gives it back. */
  const takePlace = ({ id }: Pass) => {
    const leavePass = places.take(id)
    running += 1
    return () => {
      leavePass()
      running -= 1
    }
  }
  return {
    async refusalOf({ pass, cursor }) {
      const full = refusalFor(pass)
      if (full !== null) return full
      const leave = takePlace(pass)
      const checked = await checkNow(cursor)
      leave()
      return 'refusal' in checked ? checked.refusal : null
    },
    async begin(resuming) {
      return refusalFor(resuming.pass) ?? openAfterCheck(resuming, takePlace(resuming.pass))
    },
    running: () => running,
    counts: () => counts,
    eventCount: () => eventCount,
  }
}

const tooManyOfPass = refuse(
  'too_many_connections',
  `this pass already has ${connectionsOfPassMax} connections that get earlier events, which is the limit. Close one of them`,
  5,
)
const tooMany = refuse(
  'too_many_connections',
  'too many clients get earlier events at the moment. Try again in some seconds',
  2,
)
const unreadable = refuse('warming_up', 'the service cannot read earlier events at the moment. Try again in 30 s', 30)
