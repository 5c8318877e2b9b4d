/** The front page and its tape, as the server serves them. */
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Cuts } from '../../projections/cuts.ts'
import { type EpochMs, minuteMs, secondMs } from '../../schemas/units.ts'
import { copyScript } from '../documents/copy.ts'
import { contentSecurityPolicyOf } from '../documents/page.ts'
import type { FailureLog } from '../http/failure-log.ts'
import { formatUsd } from '../payments/offers/format-usd.ts'
import type { Route } from '../route.ts'
import type { Answers } from '../sale/answers.ts'
import type { ApiSource } from '../source.ts'
import { createDelayedOverview, createLiveOverview, type Overview } from './overview.ts'
import { renderFrontPage, type SourceAge } from './page.ts'
import type { FrontCallsPart } from './parts.ts'
import { plotScript } from './plot.ts'
import { frontStyle, tokenStyle } from './style.ts'
import { createTape, type Tape } from './tape.ts'
import { renderTokenPage } from './token-page.ts'
import { createTokens, type TokenShown } from './tokens.ts'

/** A page as HTML, and the same bytes compressed. */
export type Rendered = Readonly<{ html: Buffer; gzip: Buffer }>

/** The page and its tape, over one overview. */
type FrontView = Readonly<{
  /** Returns the page. It is rendered once for each overview and chain. `chain`: the only chain that is shown. Null: all. */
  page(chain: string | null): Promise<Rendered>
  /** Returns the page of a token. `unknown`: the overview does not name it. `busy`: too many pages are being made. */
  token(token: string): Promise<Rendered | 'unknown' | 'busy'>
  tape: Tape
}>

export type Front = Readonly<{
  /** The public names of the chains that the page can be limited to. */
  chains: readonly string[]
  contentSecurityPolicy: string
  tokenContentSecurityPolicy: string
  /** What was known 15 minutes ago. */
  delayed: FrontView
  /** What is known now, for the operator only. */
  live: FrontView
  end(): void
}>

type FrontOptions = Readonly<{
  sources: readonly ApiSource[]
  calls: FrontCallsPart | null
  routes: readonly Route[]
  answers: Answers
  cuts: Cuts
  /** Returns the newest data of each source, which is free. */
  agesOf(): Promise<readonly SourceAge[]>
  publicBaseUrl: string
  nowMs: () => EpochMs
  logFailure: FailureLog
}>

const textOf = (file: URL): string => readFileSync(file, 'utf8')
const sharedScript = copyScript + textOf(new URL('./ages.js', import.meta.url))
const script = sharedScript + textOf(new URL('./script.js', import.meta.url))
const tokenScript = `${plotScript}\n${sharedScript}${textOf(new URL('./token-script.js', import.meta.url))}`

export function createFront(options: FrontOptions): Front {
  const delayed = viewOf(options, createDelayedOverview(options))
  const live = viewOf({ ...options, isLive: true }, createLiveOverview(options))
  return {
    chains: options.sources.flatMap(({ front }) => front?.wireName ?? []),
    contentSecurityPolicy: contentSecurityPolicyOf({ style: frontStyle, script, mayFetch: true }),
    tokenContentSecurityPolicy: contentSecurityPolicyOf({ style: tokenStyle, script: tokenScript, mayFetch: true }),
    ...{ delayed, live },
    end() {
      delayed.tape.end()
      live.tape.end()
    },
  }
}

type View = FrontOptions & Readonly<{ isLive?: boolean }>

/** How long the page of a token is shown before it is computed again, in ms, for the public and for the operator. */
const [tokenMs, liveTokenMs] = [minuteMs, 5 * secondMs]

function viewOf(
  { routes, calls, agesOf, publicBaseUrl, logFailure, isLive = false }: View,
  overview: () => Promise<Overview>,
): FrontView {
  const priced = routes.map(({ tool, pattern, priceUsdMicros, description }) => ({
    name: tool,
    path: pattern.replace(/:(\w+)/g, '{$1}'),
    price: formatUsd(priceUsdMicros),
    description,
  }))
  const tokens = createTokens({ overview, calls, keepMs: isLive ? liveTokenMs : tokenMs })
  const tokenPages = new WeakMap<TokenShown, Promise<Rendered>>()
  const rendered = new WeakMap<Overview, Map<string | null, Promise<Rendered>>>()
  return {
    async page(chain) {
      const shown = await overview()
      const pages = rendered.get(shown) ?? new Map<string | null, Promise<Rendered>>()
      rendered.set(shown, pages)
      const known = pages.get(chain)
      if (known !== undefined) return known
      const page = agesOf().then((ages) =>
        compressed(renderFrontPage({ overview: shown, ages, priced, publicBaseUrl, chain, isLive }, script)),
      )
      pages.set(chain, page)
      page.catch(() => pages.delete(chain))
      return page
    },
    async token(token) {
      const shown = await tokens.find(token)
      if (typeof shown === 'string') return shown
      const page = tokenPages.get(shown) ?? compressed(renderTokenPage(shown, { script: tokenScript, isLive }))
      tokenPages.set(shown, page)
      return page
    },
    tape: createTape({ overview, logFailure }),
  }
}

async function compressed(text: string): Promise<Rendered> {
  const html = Buffer.from(text)
  return { html, gzip: await promisify(gzip)(html) }
}
