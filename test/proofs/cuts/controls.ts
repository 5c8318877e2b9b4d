/** What somebody could do to the tables: each must be seen in what was sold. */
import type { Database } from '../../../infra/clickhouse/database.ts'
import { versionShownAt } from '../../support/shown-version.ts'
import type { Tell } from '../same/now.ts'
import { type Sold, shownIn, soldOtherwise } from './sold.ts'

/** Sentences about what was not seen, or seen where nothing was done. Leaves the tables without the version. */
export async function changeTables(writer: Database, tell: Tell, sold: readonly Sold[]): Promise<readonly string[]> {
  const { shown, before } = shownIn(sold)
  const version = await versionShownAt(writer, shown.cutAtMs)
  const earlier = before(version.knownAtMs).slice(-10)
  const faults: string[] = []
  const expectOtherwise = async (what: string, asked: readonly Sold[], count: number) => {
    const found = (await soldOtherwise(tell, asked)).length
    if (found !== count) faults.push(`${what}: ${found} of ${asked.length} answers differ, not ${count}`)
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
