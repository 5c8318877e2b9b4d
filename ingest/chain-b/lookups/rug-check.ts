/**
 * Reads reports on the safety of a token from a provider over HTTP. The provider must have the interface of
 * RugCheck: `GET <url>/v1/tokens/<mint>/report`.
 */
import { z } from 'zod'
import { hexOfBase58 } from '../../../infra/base58.ts'
import { OperationError } from '../../../infra/errors.ts'
import { hostOf } from '../../../infra/http-url.ts'
import type { Address, DurationMs } from '../../../schemas/units.ts'
import { askJson } from '../../ask-json.ts'
import { listOf, recordOf } from '../node/list-shape.ts'
import { type OwnAccounts, ownAccountsOf } from './own-accounts.ts'
import type { SafetyProvider, SafetyReport } from './safety.ts'

export type RugCheckOptions = Readonly<{ url: string; limitMs?: DurationMs; bytesMax?: number }>

const limitMsDefault = 3_000
/** The maximum size of a report. The report of a token with many markets has a few hundred kilobytes. */
const bytesMaxDefault = 4 * 1_048_576

const authority = z
  .string()
  .nullable()
  .transform((text, context): Address | null => {
    const address = text === null || text === '' ? null : hexOfBase58(text, 32)
    if (text && address === null) context.addIssue({ code: 'custom', message: 'is not an address' })
    return address
  })

const percent = z.number().min(0).nullish().catch(null)
const amount = z.number().nullish().catch(null)
const knownAccounts = recordOf(z.object({ type: z.string() })).nullish()

/** Numbers and flags of an unexpected type are read as null. A report without `token` is refused, because it is useless. */
const reportShape = z.object({
  mint: z.string().optional(),
  token: z.object({ mintAuthority: authority, freezeAuthority: authority }),
  score: amount,
  score_normalised: amount,
  rugged: z.boolean().nullish().catch(null),
  risks: listOf(z.object({ name: z.string(), level: z.string() })).nullish(),
  topHolders: listOf(
    z.object({ address: z.string().optional(), owner: z.string().optional(), pct: percent }),
  ).nullish(),
  knownAccounts,
  markets: listOf(
    z.object({
      pubkey: z.string().nullish().catch(null),
      lp: z.object({ lpLockedPct: percent, quoteUSD: amount }).nullish(),
    }),
  ).nullish(),
})

type Report = z.output<typeof reportShape>

export function createRugCheck({ url, limitMs, bytesMax }: RugCheckOptions): SafetyProvider {
  const name = hostOf(url)
  return {
    name,
    async check(mint, signal) {
      const report = await ask(addressOf(url, mint), { limitMs, bytesMax, name }, signal)
      if (report.mint !== undefined && report.mint !== mint) throw failed(`${name} answered for another token`)
      return toSafety(report, await ownAccountsOf(mint))
    },
  }
}

/**
 * Returns the URL of a mint's report. It keeps the path and the query of the configured URL. The query may
 * contain an API key.
 */
function addressOf(url: string, mint: string): URL {
  const address = new URL(url)
  address.pathname = `${address.pathname.replace(/\/+$/, '')}/v1/tokens/${mint}/report`
  return address
}

type RequestOptions = Readonly<{ limitMs: DurationMs | undefined; bytesMax: number | undefined; name: string }>

async function ask(address: URL, options: RequestOptions, signal: AbortSignal): Promise<Report> {
  const { limitMs = limitMsDefault, bytesMax = bytesMaxDefault, name } = options
  const result = reportShape.safeParse(await askJson({ address, name, limitMs, bytesMax }, signal))
  if (result.success) return result.data
  const { path = [], message = '' } = result.error.issues[0] ?? {}
  throw failed(`the answer of ${name} is not a valid report: ${path.join('.')} ${message}`)
}

const failed = (message: string): OperationError => new OperationError('provider_failed', message)

/** Converts a percentage to a share. The share is limited to 1, in case a provider uses another scale. */
const shareOf = (pct: number | null | undefined): number | null =>
  pct === null || pct === undefined ? null : Math.min(1, pct / 100)

function toSafety(report: Report, own: OwnAccounts): SafetyReport {
  return {
    score: report.score_normalised ?? report.score ?? null,
    isRugged: report.rugged ?? null,
    mintAuthority: report.token.mintAuthority,
    freezeAuthority: report.token.freezeAuthority,
    lpLockedShare: shareOf(deepestLp(report, own)?.lpLockedPct),
    topHolderShare: shareOf(topHolderPct(report, own)),
    risks: (report.risks ?? []).slice(0, risksMax).map(({ name, level }) => ({ name: cut(name), level: cut(level) })),
    hasPool: hasPool(report, own),
  }
}

/**
 * The maximum number of risks in a report. The number and the length of the risks are limited, because ingest
 * records this text from outside.
 */
const risksMax = 50
const cut = (text: string): string => text.slice(0, 200)

/**
 * Returns the data of the market with the most liquidity, without the curve. Some providers list the curve as
 * a market, but its liquidity can neither be pulled nor locked.
 */
const deepestLp = ({ markets }: Report, { curve }: OwnAccounts) =>
  (markets ?? [])
    .flatMap(({ pubkey, lp }) => (lp && pubkey !== curve ? [lp] : []))
    .sort((one, other) => (other.quoteUSD ?? 0) - (one.quoteUSD ?? 0))[0]

/**
 * Whether the mint has a pool. True if the markets include the pool into which the curve migrates. Also true if the markets lack the curve,
 * because the mint then graduated earlier or never had a curve. Null if the report has no addresses of markets.
 */
function hasPool({ markets }: Report, { curve, pool }: OwnAccounts): boolean | null {
  const addresses = (markets ?? []).flatMap(({ pubkey }) => (pubkey ? [pubkey] : []))
  return addresses.length === 0 ? null : addresses.includes(pool) || !addresses.includes(curve)
}

const holdsForOthers = new Set(['AMM', 'LOCKER'])

/**
 * Returns the percentage of the supply that the largest owner holds, as the sum over the owner's listed
 * accounts. Lockers, other pools and the mint's own accounts (`holdsForTraders`) do not count.
 */
function topHolderPct({ topHolders, knownAccounts: known }: Report, own: OwnAccounts): number | null {
  const isHolder = (address: string | undefined) =>
    !own.holdsForTraders(address) && !holdsForOthers.has(known?.[address ?? '']?.type ?? '')
  const percents = new Map<string, number>()
  for (const [index, { address, owner, pct }] of (topHolders ?? []).entries()) {
    if (typeof pct !== 'number' || !isHolder(address) || !isHolder(owner)) continue
    const holder = owner ?? address ?? `${index}`
    percents.set(holder, (percents.get(holder) ?? 0) + pct)
  }
  return percents.size === 0 ? null : Math.max(...percents.values())
}
