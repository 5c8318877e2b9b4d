/** The ways to request a sold answer again, for its cut (the time for which it was computed). */
import { createSources } from '../../../api/sources.ts'
import type { Database } from '../../../infra/clickhouse/database.ts'
import { readConfig } from '../../../infra/config.ts'
import { keptSecret } from '../../../infra/data-dir/secrets.ts'
import { createCuts } from '../../../projections/cuts.ts'
import { openShop } from '../answers/shop.ts'
import { createTell, type Tell } from '../same/now.ts'
import { environment } from '../same/recording.ts'
import { openShop as openShopOf } from '../same/shop.ts'
import { type Sold, soldOtherwise } from './sold.ts'

/** Requests an answer without any cache, because the tables may have changed. */
export type Ask = <Result>(use: (tell: Tell) => Promise<Result>) => Promise<Result>

const asOf = (path: string, cutAtMs: number): string => `${path}${path.includes('?') ? '&' : '?'}asOf=${cutAtMs}`

/** Computes the answer directly from the tables. */
export const ofTables =
  (tables: Database, dataDir: string): Ask =>
  async (use) =>
    use(await createTell(tables, dataDir))

/** Buys over HTTP with the `asOf` parameter. The shop serves the newest state of the tables. */
const overHttp =
  (tables: Database, dataDir: string): Ask =>
  async (use) => {
    const secrets = {
      ruleIdSecret: await keptSecret(dataDir, 'rule-ids'),
      callerIdSecret: await keptSecret(dataDir, 'caller-ids'),
    }
    const chains = createSources({ config: readConfig(environment), database: tables, ...secrets })
    const newest = await createCuts({ database: tables }).newest(chains.map(({ stage }) => stage))
    if (newest === null) throw new TypeError('the tables hold nothing')
    const shop = await openShop(tables, chains)
    const tell: Tell = async (path, cutAtMs) =>
      Buffer.from(await shop.buyText(asOf(path, cutAtMs), newest.atMs).catch((error: Error) => error.message))
    return use(tell).finally(shop.close)
  }

export const waysToAsk = (tables: Database, dataDir: string): Readonly<Record<string, Ask>> => ({
  'of the tables': ofTables(tables, dataDir),
  'with asOf over HTTP': overHttp(tables, dataDir),
})

const buyersAtOnce = 3

/** Returns the sold answers for which a running service gives another answer with `asOf`. */
export async function otherwiseAsOf(baseUrl: string, sold: readonly Sold[]): Promise<readonly Sold[]> {
  const buy = openShopOf(baseUrl)
  const tell: Tell = async (path, cutAtMs) => Buffer.from((await buy(asOf(path, cutAtMs))) ?? 'nothing')
  const shares = Array.from({ length: buyersAtOnce }, (_, buyer) =>
    soldOtherwise(
      tell,
      sold.filter((_, index) => index % buyersAtOnce === buyer),
    ),
  )
  return (await Promise.all(shares)).flat()
}
