/** Removes rows from the tables. The affected answers must change, and other answers must not. */
import type { Database } from '../../../infra/clickhouse/database.ts'
import { burstShownAt, type ShownVersion, versionShownAt } from '../../support/shown-version.ts'
import type { Ask } from './ask.ts'
import { everyCurveBurstPath, everyPoolPath, type Sold, shownIn, soldOtherwise } from './sold.ts'

/** A row version that the answer of `path` shows. The routes of its chain begin with `routes`. */
type Control = Readonly<{
  path: string
  routes: string
  versionAt(database: Database, cutAtMs: number): Promise<ShownVersion>
}>

export const poolControl: Control = { path: everyPoolPath, routes: '/v1/rh/', versionAt: versionShownAt }
export const curveBurstControl: Control = { path: everyCurveBurstPath, routes: '/v1/sol/', versionAt: burstShownAt }

type Changed = Readonly<{ writer: Database; ways: Readonly<Record<string, Ask>>; control: Control }>

/**
 * Removes the version from the tables. Returns one sentence for each change that was not noticed, and for
 * each answer that differs without a change.
 */
export async function changeTables(
  { writer, ways, control }: Changed,
  sold: readonly Sold[],
): Promise<readonly string[]> {
  const ofChain = sold.filter(({ path }) => path.startsWith(control.routes))
  const { shown, before } = shownIn(ofChain, control.path)
  const version = await control.versionAt(writer, shown.cutAtMs)
  const earlier = before(version.knownAtMs).slice(-10)
  const faults: string[] = []
  const expectOtherwise = async (what: string, asked: readonly Sold[], count: number) => {
    for (const [way, ask] of Object.entries(ways)) {
      const found = await ask(async (tell) => (await soldOtherwise(tell, asked)).length)
      if (found !== count)
        faults.push(`${control.path}, ${what}: ${found} of ${asked.length} answers ${way} differ, not ${count}`)
    }
  }
  await version.stampAt(shown.cutAtMs + 1)
  await expectOtherwise('a version is stamped late', [shown], 1)
  await expectOtherwise('a version is stamped late, answers from before it', earlier, 0)
  await version.stampAt(version.knownAtMs)
  await expectOtherwise('the version is as it was', [shown], 0)
  await version.remove()
  await expectOtherwise('a version is missing', [shown], 1)
  await expectOtherwise('a version is missing, answers from before it', earlier, 0)
  return faults
}
