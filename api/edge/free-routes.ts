/** The free routes: the only list of them. */
import type { FreeRoute } from '../free-route.ts'
import type { PaymentGate } from '../payments/payment.ts'
import type { Route } from '../route.ts'
import type { Answers } from '../sale/answers.ts'
import { createCounts, healthInfo, serviceInfo, statesOf, type ToldChain } from './service-info.ts'

type Sources = Readonly<{
  chains: readonly ToldChain[]
  answers: Answers
  routes: readonly Route[]
  gate: PaymentGate
  nowMs: () => number
}>

export function createFreeRoutes({ chains, answers, routes, gate, nowMs }: Sources): readonly FreeRoute[] {
  const countsOf = createCounts()
  const free: FreeRoute[] = [
    {
      patterns: ['/', '/health'],
      description: 'What is sold, at what price, with every parameter and its bounds; how fresh the data is.',
      tool: 'service_status',
      answer: async () =>
        serviceInfo({ states: await statesOf(chains, answers), countsOf, routes, free, gate, nowMs: nowMs() }),
    },
    {
      patterns: ['/v1/health'],
      description: 'Age of the data, as a whole and of each chain.',
      answer: async () => healthInfo(await statesOf(chains, answers), nowMs()),
    },
  ]
  return free
}
