import { z } from 'zod'
import type { CrewRow } from '../../../projections/chain-a/queries/chain-a-queries.ts'
import type { StageCut } from '../../../projections/cuts.ts'
import { buyerMemoryMs } from '../../../schemas/buyer-memory.ts'
import { minuteMs } from '../../../schemas/units.ts'
import { minutesBetween } from '../../durations.ts'
import { described, fieldsOf } from '../../resource.ts'
import { route } from '../../route.ts'
import type { NumberParam } from '../../sale/params.ts'
import { count, epochMs } from '../../values.ts'
import type { ChainADependencies } from '../dependencies.ts'
import { envelope } from '../resources/envelope.ts'
import { addressSchema } from '../resources/identifiers.ts'
import { chainACut, chainASource, ethPriceNeed } from '../source.ts'

/** Rounds the time down to the minute, so that the exact time does not reveal the wallet's transaction. */
const lastSeenAtMs = (row: CrewRow): number => Math.floor(row.lastSeenAtMs / minuteMs) * minuteMs

const { now, resource } = fieldsOf<CrewRow, StageCut>()

/** A wallet that bought in the windows of three or more bursts. A burst is sudden net buying in one pool. */
const crew = resource('crew', {
  wallet: now(addressSchema, 'Transaction sender.', (row) => row.wallet),
  bursts: now(z.int().min(3), 'Burst windows of the last 30 days with a buy of this sender.', (row) => row.bursts),
  lastSeenAt: now(epochMs, 'Signal time of the newest one, floored to the minute.', lastSeenAtMs),
  lastSeenMinAgo: now(count, 'Whole minutes from then to generatedAt.', (row, { atMs }) =>
    Math.max(0, Math.floor(minutesBetween(lastSeenAtMs(row), atMs))),
  ),
})

const minBurstsParam: NumberParam = {
  in: 'query',
  type: 'number',
  min: 3,
  max: 50,
  default: 3,
  description: 'least burst windows of a wallet',
}

const limitParam: NumberParam = {
  in: 'query',
  type: 'number',
  min: 1,
  max: 25,
  default: 25,
  description: 'most wallets to list',
}

export const crewsAnswer = envelope.schema.extend({
  walletsTracked: described('now', count.nullable(), 'Wallets that bought in any burst of the last 30 days.'),
  crews: described('now', z.array(crew.schema), 'Most bursts first.'),
})

export const createCrews = ({ queries, presentation }: ChainADependencies) =>
  route({
    pattern: '/v1/rh/crews',
    tool: 'rh_crews',
    description: 'Wallets that bought in several burst windows of the last 30 days.',
    priceUsdMicros: 20_000,
    dependsOn: [{ ...chainASource, maxAgeMs: 120_000 }],
    needs: [ethPriceNeed],
    history: { windowMs: null, lookBackMs: buyerMemoryMs },
    params: { minBursts: minBurstsParam, limit: limitParam },
    schema: crewsAnswer,
    async answer(options, cut) {
      const at = chainACut(cut)
      const { walletsTracked, crews } = await queries.crews(at, options)
      return { ...envelope.present(at, presentation), walletsTracked, crews: crews.map((row) => crew.present(row, at)) }
    },
  })
