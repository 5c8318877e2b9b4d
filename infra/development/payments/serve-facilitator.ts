/**
 * Serves a facilitator over HTTP, on loopback only, as x402 clients expect: POST /verify, POST /settle, GET /supported.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FacilitatorClient } from '@x402/core/server'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'

export type ServedFacilitator = Readonly<{ url: string; stop: () => Promise<void> }>

const bodyBytesMax = 65_536

/** Serves the facilitator on this port. 0 means any free port. */
export async function serveFacilitator(facilitator: FacilitatorClient, port = 0): Promise<ServedFacilitator> {
  const server = createServer((request, response) => {
    answer(facilitator, request).then(
      (body) => send(response, 200, body),
      // Sends only the error's name, because a message could contain a payment.
      (error: unknown) => send(response, 500, { error: error instanceof Error ? error.name : 'failed' }),
    )
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type PaymentBody = Readonly<{ paymentPayload: PaymentPayload; paymentRequirements: PaymentRequirements }>

async function answer(facilitator: FacilitatorClient, request: IncomingMessage): Promise<unknown> {
  switch (`${request.method} ${request.url}`) {
    case 'GET /supported':
      return facilitator.getSupported()
    case 'POST /verify': {
      const { paymentPayload, paymentRequirements } = await readBody(request)
      return facilitator.verify(paymentPayload, paymentRequirements)
    }
    case 'POST /settle': {
      const { paymentPayload, paymentRequirements } = await readBody(request)
      return facilitator.settle(paymentPayload, paymentRequirements)
    }
    default:
      throw new RangeError('the facilitator has no such route')
  }
}

async function readBody(request: IncomingMessage): Promise<PaymentBody> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) throw new RangeError(`the body is larger than ${bodyBytesMax} bytes`)
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString()) as PaymentBody
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
