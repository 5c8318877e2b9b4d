/**
 * Computes what the page of a token shows, as it was known at the time of the overview. Only tokens that the overview
 * names have a page, and pages are computed one after the other, so nobody can make the tables work hard.
 */
import assert from 'node:assert/strict'
import type { DurationMs, EpochMs } from '../../schemas/units.ts'
import type { ChainInOverview, Overview } from './overview.ts'
import type { FrontBurst, FrontCallsPart, FrontNamer, FrontPrices } from './parts.ts'

export type TokenShown = Readonly<{
  token: string
  /** The time of the overview. */
  atMs: EpochMs
  chain: ChainInOverview['part']
  /** The time of the newest block of the shown data. */
  blockAtMs: EpochMs
  /** Null: the token had no trade in the last 24 h. */
  prices: FrontPrices | null
  /** Newest first. */
  bursts: readonly FrontBurst[]
  /** The chats that named the token, in the order of their first posts. */
  namers: readonly FrontNamer[]
}>

export type Tokens = Readonly<{
  /** Returns what the page of the token shows. `unknown`: the overview does not name it. `busy`: too many pages wait. */
  find(token: string): Promise<TokenShown | 'unknown' | 'busy'>
}>

type Context = Readonly<{
  overview: () => Promise<Overview>
  calls: FrontCallsPart | null
  /** How long what was computed for a token is shown. */
  keepMs: DurationMs
}>

/** The number of pages that may wait. A page takes some tens of ms. */
const waitingMax = 20

export function createTokens({ overview, calls, keepMs }: Context): Tokens {
  const kept = new Map<string, Readonly<{ atMs: EpochMs; shown: Promise<TokenShown> }>>()
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0

  const inTurn = <Value>(make: () => Promise<Value>): Promise<Value> => {
    waiting++
    const made = last.then(make).finally(() => waiting--)
    last = made.catch(() => {})
    return made
  }
  return {
    async find(token) {
      const known = await overview()
      const chain = known.chains.find((each) => namesToken(known, each, token))
      if (chain === undefined) return 'unknown'
      for (const [name, { atMs }] of kept) if (known.atMs - atMs >= keepMs) kept.delete(name)
      const found = kept.get(token)
      if (found !== undefined) return found.shown
      if (waiting >= waitingMax) return 'busy'
      const shown = inTurn(() => showToken(token, chain, { known, calls }))
      kept.set(token, { atMs: known.atMs, shown })
      shown.catch(() => kept.delete(token))
      return shown
    },
  }
}

function namesToken({ calls }: Overview, { part, shown }: ChainInOverview, token: string): boolean {
  if (shown === null) return false
  return (
    shown.bursts.some((burst) => burst.token === token) ||
    shown.columns.some(({ tokens }) => tokens.some((each) => each.token === token)) ||
    (calls?.calls.some((call) => call.token === token && call.chain === part.wireName) ?? false)
  )
}

type Known = Readonly<{ known: Overview; calls: FrontCallsPart | null }>

async function showToken(
  token: string,
  { part, cut, shown }: ChainInOverview,
  { known, calls }: Known,
): Promise<TokenShown> {
  assert(cut !== null && shown !== null, 'a chain without data names no token')
  const [prices, namers] = await Promise.all([
    part.pricesOf(cut, token),
    calls === null || known.callsCut === null ? [] : calls.namersOf(known.callsCut, token),
  ])
  const bursts = shown.bursts.filter((burst) => burst.token === token)
  return { token, atMs: known.atMs, chain: part, blockAtMs: cut.blockAtMs, prices, bursts, namers }
}
