/**
 * `npm run screenshots -- <url> <folder>`: takes pictures of the pages of a running service in Chromium: light, dark,
 * and as wide as a phone. `<url>` may have the operator's key, as in `http://127.0.0.1:8402/?operator=…`.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OperationError } from '../../../infra/errors.ts'
import { findChromium, openChromium } from './chromium.ts'

const paths = {
  front: '/',
  status: '/status',
  docs: '/docs',
  route: '/docs/rh_bursts_live',
  search: '/docs/search?q=burst',
  error: '/docs/errors/data_stale',
} as const

const kinds = [
  { kind: 'light', width: 1400, colorScheme: 'light' },
  { kind: 'dark', width: 1400, colorScheme: 'dark' },
  { kind: 'phone', width: 390, colorScheme: 'light' },
] as const

const [url = 'http://127.0.0.1:8402', folder = 'screenshots'] = process.argv.slice(2)
const executablePath = findChromium()
if (executablePath === undefined)
  throw new OperationError('config_invalid', 'there is no Chromium here. Install it, or set CHROMIUM_PATH')
await mkdir(folder, { recursive: true })
const profile = await mkdtemp(join(tmpdir(), 'launch-data-screenshots-'))
const browser = await openChromium(executablePath, profile)
/** The page of the token that the front page names first, if it names one. */
async function findToken(): Promise<Readonly<Record<string, string>>> {
  const page = await browser.newPage()
  await page.goto(url)
  const href = await page
    .locator('a.token')
    .first()
    .getAttribute('href', { timeout: 5_000 })
    .catch(() => null)
  await page.close()
  return href === null ? {} : { token: href }
}

try {
  for (const [name, path] of Object.entries({ ...paths, ...(await findToken()) }))
    for (const { kind, width, colorScheme } of kinds) {
      const page = await browser.newPage()
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      // The pages with data are opened with the operator's key, if there is one.
      await page.goto(new URL(name === 'front' || name === 'token' ? `${path}${new URL(url).search}` : path, url).href)
      await page.waitForTimeout(500)
      const file = join(folder, `${name}-${kind}.png`)
      await page.screenshot({ path: file, fullPage: true })
      console.log(file)
      await page.close()
    }
} finally {
  await browser.close()
  await rm(profile, { recursive: true, force: true })
}
