/** Sends one client the events after its cursor again, and hands it over to the live events. */
import type { EpochMs } from '../../schemas/units.ts'
import { type Broadcast, heartbeatMs } from './broadcast.ts'
import type { ClientBehind } from './clients.ts'
import { type Cursor, createCursorText, parseCursor } from './cursor.ts'
import { frameOf } from './frames.ts'
import { createPacedSender, monotonic, type PacedSender, type Pacing, realDelay } from './paced-sender.ts'
import type { Past, PlacedTick } from './past.ts'
import { createRowEvents, type StreamedChain } from './row-events.ts'

export type CatchUpDependencies = Pacing &
  Readonly<{
    chains: readonly StreamedChain[]
    past: Past
    broadcast: Pick<Broadcast, 'position' | 'heartbeatAt'>
    nowMs: () => EpochMs
  }>

/** `ended`: the client left or was disconnected. `count`: the number of events that were sent again. */
export type CatchUpResult = Readonly<{ state: 'done' | 'ended'; count: number }>

/**
 * The time that a catch-up may take, in ms. After this, the client is disconnected as too slow, and continues at its
 * last id.
 */
const catchUpMsMax = 10 * 60_000
/** The time that the reader of the live events has to reach the cursor of a client, in ms. */
const startMsMax = 10_000
/**
 * If it took longer than this to read up to the live position, in ms, then the events since are read from the log too,
 * before live events are held for the client. So few live events are held.
 */
const nearMs = 1_000
/** The time that an event may wait for others that are sent together with it, in ms. */
const gatherMs = 500
const pollMs = 20

/** The progress of one client. `reached`: the client has all events before these offsets, and no other. */
type Run = Readonly<{ client: ClientBehind; sender: PacedSender; reached: number[] }>

export function createCatchUp(dependencies: CatchUpDependencies) {
  const { chains, past, broadcast, nowMs, monotonicMs = monotonic, delay = realDelay } = dependencies
  const stages = chains.map(({ stage }) => stage)
  const cursorText = createCursorText(stages)
  const eventsOf = new Map(chains.map((chain) => [chain.stage.name, createRowEvents(chain)]))

  const sendTick = async ({ client, sender, reached }: Run, { place, published }: PlacedTick) => {
    for (const { offset, name, data } of eventsOf.get(published.stage.name)?.(published) ?? []) {
      reached[place] = offset + 1
      await sender.add(frameOf({ name, id: cursorText(reached), data }))
      if (client.signal.aborted) return
    }
    reached[place] = published.nextOffset
    const { sinceMs, isEmpty } = sender.idle()
    if (!isEmpty && sinceMs >= gatherMs) await sender.flush()
    // The cursor of this heartbeat is that of the client, because the client may continue there.
    if (isEmpty && sinceMs >= heartbeatMs) sender.addUncounted(broadcast.heartbeatAt(cursorText(reached)))
  }
  const sendUntil = async (run: Run, until: Cursor, untilMs: number) => {
    const { client, sender, reached } = run
    for await (const placed of past.ticksBetween({ from: [...reached], until, signal: client.signal })) {
      await sendTick(run, placed)
      if (monotonicMs() >= untilMs) client.end('too_slow')
      if (client.signal.aborted) return
    }
    reached.splice(0, reached.length, ...until)
    await sender.flush()
  }

  return async function catchUp(client: ClientBehind, from: Cursor): Promise<CatchUpResult> {
    const run = { client, sender: createPacedSender(client, dependencies), reached: [...from] }
    const { sender, reached } = run
    const beganMs = monotonicMs()
    let isNear = false
    let isLive = false
    while (!client.signal.aborted && !isLive) {
      const live = parseCursor(broadcast.position(), stages)
      // Just after a start, the reader of the live events can be before the cursor of the client.
      if (live === null || live.some((offset, place) => offset < (reached[place] ?? 0))) {
        if (monotonicMs() - beganMs >= startMsMax) client.end('failed')
        else await delay(pollMs, client.signal)
        continue
      }
      // Everything that is sent to all clients from now on is after `live`.
      if (isNear) client.hold()
      const roundBeganMs = monotonicMs()
      await sendUntil(run, live, beganMs + catchUpMsMax)
      isLive = isNear
      isNear = monotonicMs() - roundBeganMs <= nearMs
    }
    if (client.signal.aborted) return { state: 'ended', count: sender.count() }
    const id = cursorText(reached)
    const data = {
      ...{ type: 'caught-up', at: nowMs(), from: cursorText(from) },
      ...{ count: sender.count(), hash: sender.hash() },
    }
    sender.addUncounted(Buffer.from(frameOf({ name: 'caught-up', id, data })))
    client.release()
    return { state: 'done', count: sender.count() }
  }
}
