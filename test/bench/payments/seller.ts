/**
 * A process that sells one answer under every path. It sells through our payment gate, through the official
 * middleware, or without payment.
 */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { x402ResourceServer } from '@x402/core/server'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { paymentMiddleware } from '@x402/express'
import express from 'express'
import Koa from 'koa'
import { answerPaid } from '../../../api/x402-koa/answer-paid.ts'
import { bursts, sellerAddress } from '../../support/payments/paid-service.ts'
import { agreeable, answer, network, openShop } from './gate-shop.ts'

export type SellerName = 'gate' | 'express' | 'bare'

const sellers: Readonly<Record<SellerName, (dataDir: string) => Promise<RequestListener>>> = {
  gate: async (dataDir) => {
    const { gate } = await openShop(dataDir)
    const app = new Koa().use(async (ctx) => {
      await answerPaid(ctx, gate, {
        docsUrlOf: () => 'http://127.0.0.1/',
        buildBody: async () => ({ bytes: answer, cutAtMs: 1 }),
        ...bursts,
      })
    })
    return app.callback()
  },
  express: async () => {
    const server = new x402ResourceServer(agreeable()).register(network, new ExactEvmScheme())
    const accepts = { scheme: 'exact', network, payTo: sellerAddress, price: '$0.01', maxTimeoutSeconds: 120 } as const
    const { description, resourcePath } = bursts
    const app = express().use(
      paymentMiddleware({ [`GET ${resourcePath}`]: { accepts, description, mimeType: 'application/json' } }, server),
    )
    return app.get(resourcePath, (_, response) => {
      response.type('application/json').send(answer)
    })
  },
  bare: async () =>
    new Koa()
      .use((ctx) => {
        ctx.type = 'application/json'
        ctx.body = answer
      })
      .callback(),
}

/**
 * Sends the port of the server. In reply to each message, sends the CPU time of the process in microseconds.
 */
export async function runSeller(name: string | undefined, dataDir: string | undefined): Promise<void> {
  const listener = await sellers[name as SellerName](dataDir ?? '')
  const server = createServer({ maxHeaderSize: 32_768 }, listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send?.(user + system)
  })
  process.send?.((server.address() as AddressInfo).port)
}
