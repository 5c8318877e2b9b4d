import type { Service } from '../../api/main.ts'
import { type Config, isSimulated } from '../config.ts'
import { logChoiceOf } from '../log/open-log.ts'
import type { Console } from './console.ts'

/** Shows the address of the API and the places of the log and the tables. Warns if the data is simulated. */
export function announceService(config: Config, { url, payments, examplePath }: Service, console: Console): void {
  const { DATA_DIR: dataDir, CLICKHOUSE_URL: tablesUrl } = config
  const notice = isSimulated(config)
    ? 'SIMULATED MARKET: no chain is configured (CHAIN_A_RPC_URL, HELIUS_API_KEY). Everything here is made up.'
    : null
  const option = url.endsWith(`:${config.PORT}`) ? '' : `--url ${url} `
  const pay = `npm run pay -- ${option}"${examplePath}"`
  console.logger.info(`payments: ${payments}`)
  console.show(
    {
      notice,
      places: [
        ['answers', url],
        ['payments', payments],
        ['log', logChoiceOf(config).isShared ? 'on the Kafka cluster' : `embedded, in ${dataDir}`],
        ['tables', tablesUrl === undefined ? `embedded, in ${dataDir}` : 'on the ClickHouse server'],
      ],
      headlines: [],
      hints: [`curl -s ${url}/health`, pay],
    },
    [`Launch Data Service on ${url}`, ...(notice === null ? [] : [notice]), `Try: ${pay}`].join('\n'),
  )
}
