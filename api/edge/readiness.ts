/** Says whether the service can serve requests, for load balancers and supervisors. */
import type { Readiness } from '../../infra/program.ts'
import type { Answers } from '../sale/answers.ts'
import type { DescribedSource } from './service-info.ts'

export type ServiceReadiness = Readonly<{
  /** `warming_up` also while the tables cannot be queried. */
  state(): Promise<Readiness>
  /** Must be called when the service begins to stop. */
  drain(): void
}>

type Dependencies = Readonly<{
  sources: readonly Pick<DescribedSource, 'stage'>[]
  answers: Pick<Answers, 'newestCut'>
}>

/** The service is ready when each source has a cut. A call costs no query of its own, because cuts are cached. */
export function createReadiness({ sources, answers }: Dependencies): ServiceReadiness {
  let isDraining = false
  const hasCuts = async (): Promise<boolean> => {
    const cuts = await Promise.all(sources.map(({ stage }) => answers.newestCut([stage])))
    return cuts.every((cut) => cut !== null)
  }
  return {
    async state() {
      if (isDraining) return 'draining'
      return (await hasCuts().catch(() => false)) ? 'ok' : 'warming_up'
    },
    drain() {
      isDraining = true
    },
  }
}
