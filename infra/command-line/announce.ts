import type { Config } from '../config.ts'
import { httpUrl } from '../http-url.ts'

/** Says on standard output where the service is, and where its data comes from when that is no chain. */
export function announceService(config: Config, { port }: Readonly<{ port: number }>): void {
  const isSimulated = config.CHAIN_A_RPC_URL === undefined
  const url = httpUrl(config.HOST, port)
  const lines = [
    `Launch Data Service on ${url}`,
    ...(isSimulated ? ['SIMULATED MARKET: no chain is configured (CHAIN_A_RPC_URL). Everything here is made up.'] : []),
    `Try: npm run pay -- ${port === config.PORT ? '' : `--url ${url} `}"/v1/rh/bursts/history?hours=1"`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}
