/**
 * Runs a facilitator over HTTP that requires a header. The answer to a refused request contains the header of
 * that request.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type GuardedFacilitator = Readonly<{
  url: string
  /** One entry per request, as `path header`. `header` is the value of the header, or `none`. */
  asked: string[]
  /** The paths that require the header, and the value that the header must have. */
  wants: { paths: readonly string[]; value: string }
  networks: string[]
  stop: () => Promise<void>
}>

export async function startGuardedFacilitator(header: string): Promise<GuardedFacilitator> {
  const asked: string[] = []
  const wants: GuardedFacilitator['wants'] = { paths: [], value: '' }
  const networks = ['eip155:8453']
  const server = createServer((request, response) => {
    const { url = '' } = request
    const given = request.headers[header.toLowerCase()]
    asked.push(`${url} ${given ?? 'none'}`)
    const isIn = !wants.paths.includes(url) || given === wants.value
    response.writeHead(isIn ? 200 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isIn ? answers(networks)[url] : { error: `no entry with ${given}` }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ asked, wants, networks },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const answers = (networks: readonly string[]): Readonly<Record<string, object>> => ({
  '/supported': {
    kinds: networks.map((network) => ({ x402Version: 2, scheme: 'exact', network })),
    ...{ extensions: [], signers: {} },
  },
  '/verify': { isValid: false, invalidReason: 'invalid_payload' },
  '/settle': { success: false, errorReason: 'invalid_payload', transaction: '', network: 'eip155:8453' },
})
