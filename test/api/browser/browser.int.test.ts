/**
 * Tests purchases from a page of another origin, in Chromium. The page uses the official clients without
 * changes.
 */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { expect } from 'chai'
import { build } from 'esbuild'
import type { BrowserContext, Page } from 'playwright-core'
import { closeAll } from '../../support/close-all.ts'
import { type LocalShop, openLocalShop } from '../../support/payments/local-shop.ts'
import { paidRoutes } from '../../support/payments/paid-routes.ts'
import { findChromium, noChromium, openChromium } from './chromium.ts'
import type { Seen } from './page.ts'

/** Serves the page on a separate port, so that the page and the service have different origins. */
async function servePage(): Promise<Server> {
  const entry = fileURLToPath(new URL('./page.ts', import.meta.url))
  const { outputFiles } = await build({
    ...{ entryPoints: [entry], bundle: true, format: 'iife', platform: 'browser', write: false, logLevel: 'error' },
  })
  const script = outputFiles?.[0]?.text ?? ''
  const server = createServer(({ url }, response) => {
    response.setHeader('Content-Type', url === '/page.js' ? 'text/javascript' : 'text/html')
    response.end(url === '/page.js' ? script : '<!doctype html><title>page</title><script src="/page.js"></script>')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

describe('a browser, on a page of another origin', () => {
  const executablePath = findChromium()
  if (executablePath !== undefined) testIn(executablePath)
  else it(noChromium)
})

function testIn(executablePath: string): void {
  let shop: LocalShop
  let pages: Server
  let profile: string
  let browser: BrowserContext
  let page: Page

  before(async () => {
    shop = await openLocalShop()
    pages = await servePage()
    profile = await mkdtemp(join(tmpdir(), 'launch-data-browser-'))
    browser = await openChromium(executablePath, profile)
    page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`)
  })
  after(() =>
    closeAll(
      async () => browser?.close(),
      async () => void pages?.close(),
      async () => shop?.close(),
      async () => (profile === undefined ? undefined : rm(profile, { recursive: true, force: true })),
    ),
  )

  const run = <Result>(name: string, ...given: readonly string[]): Promise<Result> =>
    page.evaluate(`${name}(${given.map((text) => JSON.stringify(text)).join(', ')})`)
  const burstsUrl = () => `${shop.url}/v1/rh/bursts/live?minutes=30`

  it('is asked to pay, and can read what', async () => {
    const seen = await run<Seen & Readonly<{ required: string | null }>>('ask', burstsUrl())
    expect(seen).to.include({ status: 402, code: 'payment_required' })
    expect(decodePaymentRequiredHeader(String(seen.required)).accepts[0]).to.include({ amount: '10000' })
  })

  it('pays with the official client, gets the answer, and can read its receipt', async () => {
    const moved = await shop.earned(async () => {
      const seen = await run<Seen>('buy', burstsUrl(), shop.money.buyerPrivateKey)
      expect(seen).to.include({ status: 200, code: null })
      expect(JSON.parse(seen.text).bursts).to.be.an('array')
      expect(seen.receipt).to.include({ success: true, network: 'eip155:8453', payer: shop.money.buyer })
    })
    expect(moved).to.equal(10_000n)
  })

  it('can read why it is refused', async () => {
    expect(await run<Seen>('ask', `${shop.url}/v1/rh/bursts/live?minutes=0`)).to.include({
      status: 400,
      code: 'bad_param',
    })
    expect(await run<Seen>('ask', `${shop.url}/v1/nothing`)).to.include({ status: 404, code: 'no_such_route' })
  })

  it('can use the tools with the official MCP client', async () => {
    expect(await run<string[]>('listTools', `${shop.url}/mcp`)).to.include.members(paidRoutes.map(({ tool }) => tool))
  })
}
