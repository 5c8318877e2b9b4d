/**
 * A facilitator over HTTP that accepts every payment at once. The time of a real facilitator and of the chain
 * is not part of the measurement.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sellerAddress } from '../../support/payments/paid-service.ts'

export type AgreeableFacilitator = Readonly<{
  /** The environment variables of a service that uses this facilitator. */
  environment: Readonly<Record<string, string>>
  settled: () => number
  close: () => Promise<void>
}>

const network = 'eip155:8453'

export async function startAgreeableFacilitator(): Promise<AgreeableFacilitator> {
  let settled = 0
  const answerTo = async (request: IncomingMessage): Promise<object> => {
    if (request.url === '/supported')
      return { kinds: [{ x402Version: 2, scheme: 'exact', network }], extensions: [], signers: {} }
    const payer = payerIn(await textOf(request))
    if (request.url === '/verify') return { isValid: true, payer }
    return { success: true, transaction: `0x${(++settled).toString(16).padStart(64, '0')}`, network, payer }
  }
  const server = createServer((request, response) => {
    void answerTo(request).then((answer) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(answer))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    environment: {
      X402_FACILITATOR_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      X402_PAY_TO_EVM: sellerAddress,
      // The service sends requests to this node only for payments whose result is in doubt, and there are no
      // such payments here.
      X402_EVM_RPC_URL: 'http://127.0.0.1:1',
    },
    settled: () => settled,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

const payerIn = (text: string): string | undefined => /"from":"(0x[0-9a-fA-F]{40})"/.exec(text)?.[1]
