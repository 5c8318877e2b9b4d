/** `/v1/stats`: settled and failed payments by UTC day and route, without payers. */
import { z } from 'zod'
import type { EpochMs } from '../../schemas/units.ts'
import { exampleAtMs } from '../example.ts'
import type { FreeRoute } from '../free-route.ts'
import type { PaymentGate, PaymentStats } from '../payments/payment.ts'
import { described, fieldsOf } from '../resource.ts'
import { count, epochMs } from '../values.ts'

type Row = Readonly<{ stats: PaymentStats; atMs: EpochMs }>

const usd = z.number().min(0)
const sum = z.strictObject({ n: count, usd })
const day = z.string().regex(/^\d{4}-\d\d-\d\d$/)

const { now, resource } = fieldsOf<Row>()

const stats = resource('stats', {
  service: now(z.string(), 'Name of the service.', () => 'Launch Data Service'),
  note: now(
    z.string(),
    'Describes what is counted.',
    () =>
      'Settled calls by route and UTC day, over HTTP and MCP; failed ones beside them. A failed call is never charged. No payer is named.',
  ),
  generatedAt: now(epochMs, 'When this was counted, epoch ms.', ({ atMs }) => atMs),
  currency: now(z.literal('USD'), 'Currency of every `usd`.', () => 'USD' as const),
  totals: now(sum, 'Sum of all days.', (row) => ({ ...row.stats.totals })),
  days: now(
    z.array(
      z.strictObject({
        day: described('now', day, 'Day in UTC.'),
        n: described('now', count, 'Settled calls.'),
        usd: described('now', usd, 'Revenue.'),
        routes: described(
          'now',
          z.record(z.string(), sum),
          'Calls and revenue by `GET <route>`; aliases and tools count as their route.',
        ),
      }),
    ),
    'Days with a settled call, oldest first.',
    (row) => row.stats.days.map((one) => ({ ...one, routes: { ...one.routes } })),
  ),
  payFailures: now(
    z.array(z.strictObject({ day, route: z.string(), code: z.string(), n: count })),
    'Payments that failed, by day, route and reason.',
    (row) => [...row.stats.payFailures],
  ),
  settlements: now(
    z.strictObject({
      waiting: described('now', count, 'Not compared yet.'),
      found: described('now', count, 'The transfer is on the chain.'),
      missing: described(
        'now',
        count,
        'The chain proves that there is no transfer: the report of the facilitator was false.',
      ),
      unchecked: described('now', count, 'Not compared, because the node could not be asked or there were too many.'),
    }),
    'Payments that a facilitator reported as settled since the start, by the result of the comparison with the chain.',
    (row) => ({ ...row.stats.settlements }),
  ),
})

const exampleRoutes = { 'GET /v1/rh/bursts/live': { n: 41, usd: 0.41 }, 'GET /v1/snapshot': { n: 2, usd: 0.06 } }

const exampleStats: PaymentStats = {
  totals: { n: 43, usd: 0.47 },
  days: [{ day: '2026-09-21', n: 43, usd: 0.47, routes: exampleRoutes }],
  payFailures: [{ day: '2026-09-21', route: 'GET /v1/rh/bursts/live', code: 'insufficient_funds', n: 1 }],
  settlements: { waiting: 1, found: 42, missing: 0, unchecked: 0 },
}

/**
 * The interval in ms at which the statistics are computed. All clients get the same body, because the
 * computation can sum thousands of rows.
 */
const keptMs = 1_000

export function createStatsRoute({
  gate,
  nowMs,
}: Readonly<{ gate: Pick<PaymentGate, 'stats'>; nowMs: () => EpochMs }>): FreeRoute {
  let known: Readonly<{ atMs: EpochMs; body: object }> | null = null
  return {
    patterns: ['/v1/stats'],
    description: 'Settled calls by route and UTC day.',
    schema: stats.schema,
    async answer() {
      const atMs = nowMs()
      if (known === null || Math.abs(atMs - known.atMs) >= keptMs)
        known = { atMs, body: stats.present({ stats: gate.stats(), atMs }) }
      return known.body
    },
    example: async () => stats.present({ stats: exampleStats, atMs: exampleAtMs }),
  }
}
