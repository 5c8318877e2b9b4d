/** Finds the Chromium of this machine, and opens it without a window. */
import { existsSync } from 'node:fs'
import { type BrowserContext, chromium } from 'playwright-core'

const usualPlaces = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

const args = [
  ...['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
  ...['--disable-component-update', '--disable-sync'],
]

/** The name of a test that is pending, because there is no Chromium. */
export const noChromium = 'is tried where Chromium is in a usual place or CHROMIUM_PATH names it: here neither is so'

export const findChromium = (): string | undefined =>
  process.env.CHROMIUM_PATH || usualPlaces.find((path) => existsSync(path))

/** `profile`: an empty folder. */
export const openChromium = (executablePath: string, profile: string): Promise<BrowserContext> =>
  chromium.launchPersistentContext(profile, { executablePath, args, headless: true })
