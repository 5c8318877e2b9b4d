/** A facilitator that accepts every payment, unless `hostility` answers instead. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type PlainServer, startPlainServer } from '../../../support/sockets/plain-server.ts'

/** Answers one request. Returns false if the facilitator must answer honestly instead. */
export type Hostility = (request: IncomingMessage, response: ServerResponse) => boolean

export const network = 'eip155:8453'
const hashOf = (number: number): string => `0x${number.toString(16).padStart(64, '0')}`

/** `hold` resolves when a request for this path may be answered. */
export async function startHostileFacilitator(
  hostility: Hostility,
  hold: (path: string) => Promise<void> = async () => {},
): Promise<PlainServer> {
  let settled = 0
  const honest = (path: string | undefined): object => {
    if (path === '/supported')
      return { kinds: [{ x402Version: 2, scheme: 'exact', network }], extensions: [], signers: {} }
    return path === '/verify' ? { isValid: true } : { success: true, transaction: hashOf(++settled), network }
  }
  return startPlainServer((request, response) => {
    request.resume().once('end', async () => {
      await hold(String(request.url))
      if (!hostility(request, response)) response.end(JSON.stringify(honest(request.url)))
    })
  })
}
