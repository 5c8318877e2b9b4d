import { z } from 'zod'
import { described } from '../resource.ts'
import type { StreamRoute } from '../stream-route.ts'
import { count, epochMs } from '../values.ts'
import type { ByeReason } from './clients.ts'
import type { StreamedChain } from './row-events.ts'

/** Returns the names of the events for new rows, without duplicates. */
export const rowEventsOf = (chains: readonly StreamedChain[]): readonly string[] => [
  ...new Set(chains.flatMap(({ stream }) => stream.rows.map(({ event }) => event))),
]

export const correctionEvents = ['restated', 'withdrawn'] as const

const byeReasons = ['expired', 'replaced', 'too_slow', 'shutdown', 'failed'] as const satisfies readonly ByeReason[]

export function eventSchemasOf(chains: readonly StreamedChain[]): StreamRoute['events'] {
  const chainName = described('signal', z.enum(chains.map(({ stream }) => stream.wireName)), 'The chain of the event.')
  const names = rowEventsOf(chains)
  const events: Record<string, StreamRoute['events'][string]> = {}
  for (const name of names) {
    const rows = chains.flatMap(({ stream }) => stream.rows.filter(({ event }) => event === name))
    events[name] = {
      description: rows.map(({ description }) => description).join(' '),
      schema: rowEvent(name, chainName, rowsOf(rows)),
    }
  }
  const allRows = rowsOf(chains.flatMap(({ stream }) => stream.rows))
  const of = described('signal', z.enum(names), 'The event that published the row.')
  events.restated = {
    description:
      'A reorg of the chain changed the row of this id, or moved a row here: then `supersedes` names the earlier row.',
    schema: rowEvent('restated', chainName, allRows).extend({ of }),
  }
  events.withdrawn = {
    description: 'A reorg of the chain withdrew the row of this id: it never happened.',
    schema: rowEvent('withdrawn', chainName, z.null()).extend({ of }),
  }
  return { ...events, ...controlEvents(chainName) }
}

const rowsOf = (rows: StreamedChain['stream']['rows']): z.ZodType => z.union(rows.map(({ schema }) => schema))

const rowEvent = (name: string, chain: z.ZodType, row: z.ZodType) =>
  z.strictObject({
    type: typeOf(name),
    chain,
    id: described('signal', z.string(), 'Names the row; dedupe on it.'),
    at: described('signal', epochMs, 'When it happened: the time of its block, epoch ms.'),
    knownAt: described('signal', epochMs, 'When the log knew it: the time of the tick after it.'),
    row: described(
      'signal',
      row,
      'The row in the shape of the live route, as known at this instant. Later values are null, and an outcome is `{scored:false}`.',
    ),
  })

const typeOf = (name: string) => described('now', z.literal(name), 'The name of the event.')

const tickFields = {
  knownAt: described('now', epochMs, 'When the log knew all up to that block.'),
  block: described('now', count, 'Number of the newest complete block or slot.'),
  blockAt: described('now', epochMs, 'Its time.'),
}

function controlEvents(chain: z.ZodType): StreamRoute['events'] {
  const at = described('now', epochMs, 'The clock of the service.')
  const chains = described(
    'now',
    z.record(z.string(), z.strictObject(tickFields).nullable()),
    'The progress of the stream by name of the chain; null until its first tick.',
  )
  const event = <Fields extends z.ZodRawShape>(name: string, description: string, fields: Fields) => ({
    description,
    schema: z.strictObject({ type: typeOf(name), at, ...fields }),
  })
  return {
    hello: event('hello', 'The first event of a connection.', {
      expiresAt: described('now', epochMs, 'When the pass ends.'),
      heartbeatMs: described('now', count, 'Time between two heartbeats.'),
      chains,
    }),
    heartbeat: event('heartbeat', 'Shows that the stream is alive, and its progress.', { chains }),
    watermark: event('watermark', 'All events of the chain that were known by then have been sent.', {
      chain,
      ...tickFields,
    }),
    'caught-up': event(
      'caught-up',
      'All events after the cursor of the client have been sent again. New events follow. Its id is the cursor that was reached.',
      {
        from: described('now', z.string(), 'The cursor of the client.'),
        count: described(
          'now',
          count,
          'How many events of rows were sent again. Events about the stream itself are never sent again, and do not count.',
        ),
        hash: described(
          'now',
          z.string().regex(/^[0-9a-f]{64}$/),
          'The SHA-256, in hex, of the `id: …` and `data: …` lines of these events, in the order in which they were sent. Each line ends with a line feed.',
        ),
      },
    ),
    bye: event('bye', 'The last event of a connection, and why.', {
      reason: described(
        'now',
        z.enum(byeReasons),
        '`expired`: the pass has ended. `replaced`: a third connection of the pass took the place of this one, the oldest. `too_slow`: the client did not keep up. `shutdown`: the service stops. `failed`: the stream cannot be read.',
      ),
    }),
  }
}
