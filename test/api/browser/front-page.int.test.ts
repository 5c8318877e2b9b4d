/** Tests the front page in Chromium: what a person sees and does, and the code that it shows. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import axe from 'axe-core'
import { expect } from 'chai'
import type { BrowserContext, Page } from 'playwright-core'
import { closeAll } from '../../support/close-all.ts'
import { type LocalShop, openLocalShop, operatorKey } from '../../support/payments/local-shop.ts'
import { findChromium, noChromium, openChromium } from './chromium.ts'

const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url))

type Violations = Readonly<{
  violations: readonly Readonly<{ id: string; nodes: readonly Readonly<{ html: string }>[] }>[]
}>

describe('the front page in a browser', () => {
  const executablePath = findChromium()
  if (executablePath !== undefined) testIn(executablePath)
  else it(noChromium)
})

/** Returns the faults that axe finds. The policy of the page forbids foreign scripts, so the browser evaluates this one. */
async function faultsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<Violations>('axe.run()')
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

/** Returns the sum of the layout shifts since the page was opened. The browser reports none as no entries, so this waits. */
const shiftOf = (page: Page) =>
  page.evaluate<number>(`new Promise((resolve) => {
    let sum = 0
    new PerformanceObserver((list) => {
      for (const { value } of list.getEntries()) sum += value
    }).observe({ type: 'layout-shift', buffered: true })
    setTimeout(() => resolve(sum), 300)
  })`)

function testIn(executablePath: string): void {
  let shop: LocalShop
  let folder: string
  let browser: BrowserContext
  let page: Page
  const faults: string[] = []

  before(async () => {
    shop = await openLocalShop()
    folder = await mkdtemp(join(tmpdir(), 'launch-data-front-'))
    browser = await openChromium(executablePath, join(folder, 'profile'))
    await browser.grantPermissions(['clipboard-read', 'clipboard-write'])
  })
  beforeEach(async () => {
    faults.length = 0
    page = await browser.newPage()
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
    page.on('pageerror', (error) => faults.push(error.message))
  })
  afterEach(async () => {
    await page.close()
    expect(faults, 'errors of the page').to.deep.equal([])
  })
  after(() =>
    closeAll(
      async () => browser?.close(),
      async () => shop?.close(),
      async () => (folder === undefined ? undefined : rm(folder, { recursive: true, force: true })),
    ),
  )

  const open = (path = `/?operator=${encodeURIComponent(operatorKey)}`) => page.goto(shop.url + path)

  const withoutScripts = () =>
    page.route('**/*', async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ response: answer, body: (await answer.text()).replace(/<script[\s\S]*<\/script>/, '') })
    })

  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1400, 390])
      it(`has no fault that axe finds, and nothing beyond its edge, in ${colorScheme} at ${width} pixels`, async () => {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 800 })
        await open()
        expect(await page.evaluate<number>('document.documentElement.scrollWidth')).to.be.at.most(width)
        expect(await faultsOf(page)).to.deep.equal([])
      })

  for (const path of ['/status', '/docs/rh_bursts_live', '/docs/search?q=price', '/docs/errors/data_stale'])
    it(`leads to ${path}, in which axe finds no fault, on a phone too`, async () => {
      for (const width of [1400, 390]) {
        await page.setViewportSize({ width, height: 800 })
        await open(path)
        expect(await page.evaluate<number>('document.documentElement.scrollWidth')).to.be.at.most(width)
        expect(await faultsOf(page)).to.deep.equal([])
      }
    })

  it('shows ages, which move nothing, and copies a token and the code', async () => {
    await open()
    expect(await shiftOf(page)).to.equal(0)
    expect(await page.locator('time').first().textContent()).to.match(/ ago$/)
    const token = page.locator('.copyit').first()
    await token.click()
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(await token.getAttribute('data-copy'))
    await page.locator('.copy').first().click()
    expect(await page.evaluate('navigator.clipboard.readText()')).to.match(/^curl -i https/)
    expect(await page.locator('#said').textContent()).to.equal('Copied the code')
  })

  it('leads to the page of a token, which draws its line, on a phone and without scripts too', async () => {
    for (const width of [1400, 390]) {
      await page.setViewportSize({ width, height: 800 })
      await open()
      await page.locator('#tape a.token').first().click()
      await page.waitForURL(/\/tokens\/.*operator=/)
      await page.locator('#line canvas').waitFor()
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).to.be.at.most(width)
      expect(await faultsOf(page)).to.deep.equal([])
    }
    expect(await page.locator('#line-key').isVisible()).to.equal(true)
    const url = new URL(page.url())
    await withoutScripts()
    await open(url.pathname + url.search)
    expect(await page.locator('#line canvas').count()).to.equal(0)
    await page.locator('summary', { hasText: 'Prices as a table' }).click()
    expect(await page.locator('td', { hasText: '×' }).first().isVisible()).to.equal(true)
  })

  it('copies the code of a paid route, and shows it without scripts', async () => {
    await open('/docs/rh_bursts_live')
    for (const title of ['curl: read the price', 'TypeScript: buy an answer', 'Python: buy an answer']) {
      const sample = page.locator('details', { hasText: title })
      if ((await sample.getAttribute('open')) === null) await sample.locator('summary').click()
      await sample.locator('.copy').click()
      const copied = await page.evaluate('navigator.clipboard.readText()')
      expect(copied).to.equal(await sample.locator('code').textContent())
      expect(copied).to.contain('/v1/rh/bursts/live')
      expect(await page.locator('#said').textContent()).to.equal('Copied the code')
    }
    await withoutScripts()
    await open('/docs/rh_bursts_live')
    expect(await page.locator('.copy').first().isVisible()).to.equal(false)
    await page.locator('summary', { hasText: 'Python: buy an answer' }).click()
    expect(await page.locator('code', { hasText: 'wrapRequestsWithPayment' }).isVisible()).to.equal(true)
  })

  it('is complete without scripts', async () => {
    await withoutScripts()
    await open()
    expect(await page.locator('.columns li .token').count()).to.be.above(1)
    expect(await page.locator('#tape li').count()).to.be.above(2)
    expect(await page.locator('time').first().textContent()).to.match(/^\d\d:\d\d:\d\d UTC$/)
    expect(await page.locator('.copy').first().isVisible()).to.equal(false)
  })

  it('adds each line to its tape one time, and waits while the pointer is on it', async () => {
    const lineOf = (id: string) => ({ id, chain: 'chainA', html: `<b>${id}</b>` })
    let sent = 'first'
    await page.route('**/tape*', (route) => {
      const data = JSON.stringify([lineOf('first'), lineOf(sent)])
      return route.fulfill({ contentType: 'text/event-stream', body: `retry: 50\nevent: lines\ndata: ${data}\n\n` })
    })
    await open()
    const first = page.locator('#tape li b')
    await first.getByText('first').waitFor()
    await page.locator('#tape-box').hover()
    await page.getByText('Paused while you are on it.').waitFor()
    sent = 'second'
    await page.waitForTimeout(400)
    expect(await first.allTextContents()).to.deep.equal(['first'])
    await page.mouse.move(0, 0)
    await first.getByText('second').waitFor()
    expect(await first.allTextContents()).to.deep.equal(['second', 'first'])
  })

  it('has code that buys an answer as it stands', async () => {
    await open()
    const code = await page.locator('details', { hasText: 'TypeScript: buy an answer' }).locator('code').textContent()
    await symlink(modules, join(folder, 'node_modules'))
    await writeFile(join(folder, 'buy.mts'), String(code).replace('https://data.example', shop.url))
    const moved = await shop.earned(async () => {
      const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', 'buy.mts'], {
        cwd: folder,
        env: { ...process.env, PRIVATE_KEY: shop.money.buyerPrivateKey },
      })
      expect(stdout)
        .to.match(/^200 \{/)
        .and.to.contain('generatedAt')
    })
    expect(moved).to.equal(30_000n)
  })
}
