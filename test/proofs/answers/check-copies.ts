/**
 * Requests the paid routes about leaders, wallets whose buys are worth copying. Compares the answers with the
 * lists that the oracle computes for each whole hour.
 */
import type { Hex } from '../../../schemas/units.ts'
import { base58Of } from '../../support/oracle/chain-b/base58.ts'
import type { KnownHours } from '../../support/oracle/chain-b/copies.ts'
import { copyAnswersOf, type ListAt } from '../../support/oracle/chain-b/copy-answers.ts'
import { type CopyRules, copyRules } from '../../support/oracle/chain-b/copy-rules.ts'
import { type Rebuilt, rebuild } from '../../support/oracle/chain-b/leaders.ts'
import { type FactLog, knownAt } from '../../support/oracle/chain-b/stories.ts'
import { compareBodies, createTally, type Sold, type Tally } from './compare.ts'
import type { Shop } from './shop.ts'

const hourMs = 3_600_000
const hourOf = (atMs: number): number => Math.floor(atMs / hourMs) * hourMs

const leadersPath = '/v1/sol/wallets/leaders'
const statsPath = (wallet: string) => `/v1/sol/wallets/${wallet}/copy-stats`
const limits = [1, 2.5, 50]
/**
 * Besides the leaders, the check buys the statistics of every 17th other buyer, and of at most 25 such
 * buyers.
 */
const walletsEvery = 17
const walletsMost = 25
const nobody = base58Of(`0x${'5a'.repeat(32)}`)

/**
 * Requests the list of leaders with each limit. Then requests the copy statistics of leaders and of other
 * buyers.
 */
export async function buyCopies(shop: Shop, log: FactLog, cuts: readonly number[]): Promise<readonly Sold[]> {
  const sold: Sold[] = []
  const others = tradersIn(log)
  for (const cutAtMs of cuts) {
    const buy = async (path: string) => {
      const body = await shop.buy(path, cutAtMs)
      sold.push({ path, cutAtMs, body })
      return body
    }
    const { wallets } = (await buy(leadersPath)) as Readonly<{ wallets: readonly Readonly<{ wallet: string }>[] }>
    for (const limit of limits) await buy(`${leadersPath}?limit=${limit}`)
    const known = others.filter(({ atMs }) => atMs < hourOf(cutAtMs) - hourMs / 2)
    const some = known.filter((_, index) => index % walletsEvery === 0).slice(-walletsMost)
    const asked = new Set([...wallets.map(({ wallet }) => wallet), ...some.map(({ wallet }) => base58Of(wallet))])
    for (const wallet of asked) await buy(statsPath(wallet))
    await shop.refuses(statsPath(nobody), { cutAtMs, status: 404 })
  }
  return sold
}

/**
 * Returns the wallets with a buy that copy trading follows, each with the time of the first such buy. Sorts
 * by this time.
 */
function tradersIn(log: FactLog): readonly Readonly<{ wallet: Hex; atMs: number }>[] {
  const firsts = new Map<Hex, number>()
  for (const { record } of log.flat()) {
    if (record.type !== 'CurveTraded') continue
    const { trader, quoteRaw, quoteMint, isMayhem, blockAtMs } = record.data
    if (quoteRaw < copyRules.followedLeast || quoteMint !== null || isMayhem) continue
    firsts.set(trader, Math.min(blockAtMs, firsts.get(trader) ?? blockAtMs))
  }
  return [...firsts].map(([wallet, atMs]) => ({ wallet, atMs })).sort((one, other) => one.atMs - other.atMs)
}

/**
 * Returns a function that finds the list of leaders that is valid at a time. `toldAtMs` is the whole hour of
 * the list. `knownAtMs` is the time when block time passed that hour. Before the first hour there is no list.
 */
function createEditions(log: FactLog) {
  const none = { toldAtMs: 0, knownAtMs: 0 } as const
  const editions: Readonly<{ toldAtMs: number; knownAtMs: number }>[] = [none]
  const { ticks } = knownAt(log, Number.POSITIVE_INFINITY)
  const firstAtMs = ticks[0]?.blockAtMs ?? 0
  for (const { blockAtMs, knownAtMs } of ticks) {
    const toldAtMs = hourOf(blockAtMs - 1)
    if (toldAtMs >= firstAtMs && toldAtMs > (editions.at(-1)?.toldAtMs ?? 0)) editions.push({ toldAtMs, knownAtMs })
  }
  return (atMs: number) => editions.findLast(({ knownAtMs }) => knownAtMs <= atMs) ?? none
}

export type CopyCheck = (sold: readonly Sold[], rules?: CopyRules) => ReadonlyMap<string, Tally>

type Checking = Readonly<{ rules: CopyRules; byRoute: ReadonlyMap<string, Tally> }>

/**
 * Creates the check of the answers about leaders. It computes each list of leaders only one time, even if it
 * runs with several rules.
 */
export function createCopyCheck(log: FactLog): CopyCheck {
  const lists = new Map<number, Rebuilt>()
  const knownHours: KnownHours = new Map()
  const editionAt = createEditions(log)
  const listAt: ListAt = (atMs) => {
    const { toldAtMs, knownAtMs } = editionAt(atMs)
    const list = lists.get(toldAtMs) ?? rebuild(knownAt(log, knownAtMs), { toldAtMs, knownHours }, copyRules)
    lists.set(toldAtMs, list)
    return list
  }
  const checkAt = (cutAtMs: number, sold: readonly Sold[], { rules, byRoute }: Checking) => {
    const { toldAtMs: rebuiltAtMs, knownAtMs } = editionAt(cutAtMs)
    const isBent = rules !== copyRules
    const anew = () => rebuild(knownAt(log, knownAtMs), { toldAtMs: rebuiltAtMs, knownHours: new Map() }, rules)
    const rebuilt = isBent ? anew() : listAt(cutAtMs)
    const answers = copyAnswersOf({ cutAtMs, rebuiltAtMs, rebuilt, listAt }, rules)
    const wallets = new Map([...rebuilt.wallets.keys()].map((wallet) => [base58Of(wallet), wallet]))
    for (const { path, body } of sold) {
      const wallet = wallets.get(/wallets\/(\w+)\/copy-stats/.exec(path)?.[1] ?? '')
      const limit = Number(/limit=(.+)/.exec(path)?.[1] ?? 50)
      const expected = wallet === undefined ? answers.leaders(limit) : answers.copyStats(wallet)
      const tally = byRoute.get(wallet === undefined ? leadersPath : statsPath('{addr}'))
      if (tally) compareBodies(body, expected, { tally, ids: new Map(), where: `${path} at ${cutAtMs}` })
    }
  }

  return (sold, rules = copyRules) => {
    const byRoute = new Map([leadersPath, statsPath('{addr}')].map((route) => [route, createTally()]))
    const cuts = new Set(sold.map(({ cutAtMs }) => cutAtMs))
    for (const atMs of cuts)
      checkAt(
        atMs,
        sold.filter(({ cutAtMs }) => cutAtMs === atMs),
        { rules, byRoute },
      )
    return byRoute
  }
}
