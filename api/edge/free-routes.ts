/** The free routes about the service and its data. A new free route is added to `createFreeRoutes`. */

import type { Cuts } from '../../projections/cuts.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { FreeRoute } from '../free-route.ts'
import type { PaymentGate } from '../payments/payment.ts'
import { products } from '../products.ts'
import { createCoverageRoute } from '../record/coverage-route.ts'
import { createRestatementsRoute } from '../record/restatements-route.ts'
import type { AnnouncedRules } from '../record/track-record.ts'
import type { Route } from '../route.ts'
import type { Answers } from '../sale/answers.ts'
import type { ExampleSubjects } from '../sale/example-subjects.ts'
import { createSampleRoute } from '../sample.ts'
import { createKeyDirectory } from '../signing/key-directory.ts'
import {
  createCounts,
  type DescribedSource,
  type HealthDetails,
  healthInfo,
  nameOf,
  serviceInfo,
  statesOf,
  withDetails,
} from './service-info.ts'
import { healthSchema, infoSchema } from './service-info-schema.ts'
import { createStatsRoute } from './stats.ts'

type FreeContext = Readonly<{
  sources: readonly DescribedSource[]
  answers: Answers
  details: HealthDetails
  cuts: Cuts
  routes: readonly Route[]
  gate: PaymentGate
  subjects: ExampleSubjects
  publicBaseUrl: string
  announcedRules: readonly AnnouncedRules[]
  /** The keys of signed answers. Undefined if the service signs none. */
  signingKeys?: Parameters<typeof createKeyDirectory>[0] | undefined
  /** The routes that `/` lists: the free routes, the documents, the page `/docs` and the stream. */
  listed: () => readonly Pick<FreeRoute, 'patterns'>[]
  nowMs: () => EpochMs
}>

export function createFreeRoutes(context: FreeContext): readonly FreeRoute[] {
  const { sources, answers, details, gate, signingKeys, listed, nowMs } = context
  const countsOf = createCounts()
  return [
    {
      patterns: ['/', '/health'],
      description: 'What is sold, at what price, with every parameter and its bounds; how fresh the data is.',
      tool: 'service_status',
      schema: infoSchema,
      answer: async () =>
        serviceInfo({
          ...{ ...context, states: await statesOf(sources, answers), countsOf, free: listed() },
          nowMs: nowMs(),
        }),
    },
    {
      patterns: ['/v1/health'],
      description: 'Age of the data, as a whole and of each chain.',
      schema: healthSchema,
      answer: async () => {
        const states = await withDetails(await statesOf(sources, answers), details)
        return healthInfo(states, nowMs(), gate.clockDifferences())
      },
    },
    createSampleRoute(context),
    createStatsRoute({ gate, nowMs }),
    ...products.flatMap(({ freeRoutesOf }) => freeRoutesOf?.({ sources, answers, nowMs }) ?? []),
    ...createRecordRoutes(context),
    ...(signingKeys === undefined ? [] : [createKeyDirectory(signingKeys)]),
  ]
}

/**
 * Creates `/v1/coverage`, which shows for each hour what data is complete, and `/v1/restatements`, which
 * shows corrected records.
 */
function createRecordRoutes({ sources, answers, cuts, announcedRules, nowMs }: FreeContext): readonly FreeRoute[] {
  const withRecord = sources.flatMap((chain) => (chain.record ? [{ ...chain, record: chain.record }] : []))
  const named = withRecord.map((chain) => ({ ...chain, wireName: nameOf(chain) }))
  const corrected = named.flatMap(({ record: { corrections }, ...chain }) =>
    corrections === null ? [] : [{ ...chain, corrections }],
  )
  const coverage = createCoverageRoute({ chains: named, announced: announcedRules, answers, cuts, nowMs })
  const restatements = createRestatementsRoute({ chains: corrected, answers, nowMs })
  return [...(named.length > 0 ? [coverage] : []), ...(corrected.length > 0 ? [restatements] : [])]
}
