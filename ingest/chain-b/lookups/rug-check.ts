/** A rug-check provider over HTTP, in the form that RugCheck has: `GET <url>/v1/tokens/<mint>/report`. */
import { z } from 'zod'
import { hexOfBase58 } from '../../../infra/base58.ts'
import { OperationError } from '../../../infra/errors.ts'
import { hostOf } from '../../../infra/http-url.ts'
import type { Hex } from '../../../schemas/units.ts'
import { askJson } from '../../ask-json.ts'
import type { SafetyProvider, SafetyReport } from './safety.ts'

export type RugCheckOptions = Readonly<{ url: string; limitMs?: number; bytesMax?: number }>

const limitMsDefault = 3_000
/** A report of a token with many markets has some hundred kilobytes. */
const bytesMaxDefault = 4 * 1_048_576

const authority = z
  .string()
  .nullable()
  .transform((text, context): Hex | null => {
    const address = text === null || text === '' ? null : hexOfBase58(text, 32)
    if (text && address === null) context.addIssue({ code: 'custom', message: 'is no address' })
    return address
  })

const percent = z.number().min(0).nullish().catch(null)
const amount = z.number().nullish().catch(null)
const knownAccounts = z.record(z.string(), z.object({ type: z.string() })).nullish()

/** What is not of these kinds is left out; without the token the report says nothing. */
const reportShape = z.object({
  mint: z.string().optional(),
  token: z.object({ mintAuthority: authority, freezeAuthority: authority }),
  score: amount,
  score_normalised: amount,
  rugged: z.boolean().nullish().catch(null),
  risks: z.array(z.object({ name: z.string(), level: z.string() })).nullish(),
  topHolders: z
    .array(z.object({ address: z.string().optional(), owner: z.string().optional(), pct: percent }))
    .nullish(),
  knownAccounts,
  markets: z.array(z.object({ lp: z.object({ lpLockedPct: percent, quoteUSD: amount }).nullish() })).nullish(),
})

type Report = z.output<typeof reportShape>

export function createRugCheck({ url, limitMs, bytesMax }: RugCheckOptions): SafetyProvider {
  const name = hostOf(url)
  return {
    name,
    async check(mint, signal) {
      const report = await ask(addressOf(url, mint), { limitMs, bytesMax, name }, signal)
      if (report.mint !== undefined && report.mint !== mint) throw failed(`${name} answered for another token`)
      return toSafety(report)
    },
  }
}

/** The URL may have a path, and a key in its query. */
function addressOf(url: string, mint: string): URL {
  const address = new URL(url)
  address.pathname = `${address.pathname.replace(/\/+$/, '')}/v1/tokens/${mint}/report`
  return address
}

type Asking = Readonly<{ limitMs: number | undefined; bytesMax: number | undefined; name: string }>

async function ask(address: URL, asking: Asking, signal: AbortSignal): Promise<Report> {
  const { limitMs = limitMsDefault, bytesMax = bytesMaxDefault, name } = asking
  const result = reportShape.safeParse(await askJson({ address, name, limitMs, bytesMax }, signal))
  if (result.success) return result.data
  const { path = [], message = '' } = result.error.issues[0] ?? {}
  throw failed(`the answer of ${name} is no report: ${path.join('.')} ${message}`)
}

const failed = (message: string): OperationError => new OperationError('provider_failed', message)

/** Of a report of another scale nothing would fit, so shares are at most 1. */
const shareOf = (pct: number | null | undefined): number | null =>
  pct === null || pct === undefined ? null : Math.min(1, pct / 100)

function toSafety(report: Report): SafetyReport {
  return {
    score: report.score_normalised ?? report.score ?? null,
    isRugged: report.rugged ?? null,
    mintAuthority: report.token.mintAuthority,
    freezeAuthority: report.token.freezeAuthority,
    lpLockedShare: shareOf(deepestLp(report)?.lpLockedPct),
    topHolderShare: shareOf(topHolderPct(report)),
    risks: (report.risks ?? []).slice(0, risksMax).map(({ name, level }) => ({ name: cut(name), level: cut(level) })),
  }
}

/** What it calls its findings is its own, and goes into the log. */
const risksMax = 50
const cut = (text: string): string => text.slice(0, 200)

const deepestLp = ({ markets }: Report) =>
  (markets ?? [])
    .flatMap(({ lp }) => (lp ? [lp] : []))
    .sort((one, other) => (other.quoteUSD ?? 0) - (one.quoteUSD ?? 0))[0]

const holdsForOthers = new Set(['AMM', 'LOCKER'])

function topHolderPct({ topHolders, knownAccounts: known }: Report): number | null {
  const isHolder = (address: string | undefined) => !holdsForOthers.has(known?.[address ?? '']?.type ?? '')
  const percents = (topHolders ?? [])
    .filter(({ address, owner }) => isHolder(address) && isHolder(owner))
    .flatMap(({ pct }) => (typeof pct === 'number' ? [pct] : []))
  return percents.length === 0 ? null : Math.max(...percents)
}
