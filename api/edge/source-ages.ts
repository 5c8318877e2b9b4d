import type { SourceAge } from '../front/page.ts'
import type { Answers } from '../sale/answers.ts'
import { type DescribedSource, type HealthDetails, nameOf, statesOf, withDetails } from './service-info.ts'

/** Returns the newest data of each source, for the front page. */
export async function sourceAges(
  sources: readonly DescribedSource[],
  { answers, details }: Readonly<{ answers: Answers; details: HealthDetails }>,
): Promise<readonly SourceAge[]> {
  const states = await withDetails(await statesOf(sources, answers), details)
  return states.map(({ chain, cut, gapCounts }) => ({
    name: nameOf(chain),
    atMs: cut?.blockAtMs ?? null,
    isSimulated: cut?.source === 'simulated',
    gaps: gapCounts?.givenUp ?? null,
  }))
}
