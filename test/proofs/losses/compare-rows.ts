/**
 * Compares the rows of a run with lost trades with the rows of a run without losses. Every row that differs
 * must be flagged. No row without a lost trade may be flagged.
 */
import type { Losses } from './oracle.ts'
import type { Sold, SoldRow, SoldWallet } from './sold-rows.ts'

export type Compared = Readonly<{
  /** The number of rows in each case. */
  counts: ReadonlyMap<string, number>
  faults: readonly string[]
}>

type Comparing = Readonly<{ whole: Sold; lossy: Sold; losses: Losses }>
type Counting = Readonly<{ count: (name: string) => void; faults: string[] }>

export function compareRows(comparing: Comparing): Compared {
  const counts = new Map<string, number>()
  const counting: Counting = { faults: [], count: (name) => counts.set(name, (counts.get(name) ?? 0) + 1) }
  const { whole, lossy } = comparing
  for (const row of lossy.rows.values()) if (isListed(row, whole)) compareRow(row, comparing, counting)
  for (const row of whole.rows.values()) if (!lossy.rows.has(row.name)) countMissing(row, comparing, counting)
  for (const [wallet, sums] of lossy.wallets) compareWallet({ wallet, sums }, comparing, counting)
  return { counts, faults: counting.faults }
}

/**
 * True if the run without losses also lists the buy. A lost newer buy can let an older buy into the list. The
 * run without losses does not list that older buy.
 */
function isListed({ bought }: SoldRow, { wallets }: Sold): boolean {
  const listedFromMs = bought && wallets.get(bought.wallet)?.listedFromMs
  return !listedFromMs || bought.atMs > listedFromMs
}

function compareRow(row: SoldRow, { whole, losses }: Comparing, { count, faults }: Counting): void {
  const { kind, name, mint, isFlagged, parts } = row
  const truth = whole.rows.get(name)
  const standing = standingOf(row, truth)
  const touched = parts.filter((part) => losses.touches(mint, part))
  count(`${kind}: ${standing}, ${isFlagged ? 'flagged' : 'not flagged'}`)
  if (truth && row.acrossMints !== truth.acrossMints) count(`${kind}: another sum across mints`)
  if (isFlagged) {
    for (const part of touched) count(`${kind}: flagged by its ${part.name}`)
    if (touched.length === 0) faults.push(`${name} is flagged, and no lost trade touches it`)
  } else if (standing !== 'equal') faults.push(`${name} is not flagged: ${differenceOf(row, truth)}`)
}

type Standing = 'equal' | 'differs' | 'only with losses'

function standingOf(row: SoldRow, truth: SoldRow | undefined): Standing {
  if (truth === undefined) return 'only with losses'
  return truth.text === row.text ? 'equal' : 'differs'
}

/** The first difference of the two texts. */
function differenceOf({ text }: SoldRow, truth: SoldRow | undefined): string {
  if (truth === undefined) return 'the whole market has no such row'
  const at = [...text].findIndex((letter, index) => letter !== truth.text[index])
  const around = (its: string) => its.slice(Math.max(0, at - 60), at + 40)
  return `${around(text)} instead of ${around(truth.text)}`
}

/**
 * Counts a row that the run with losses lacks. Such a row cannot be flagged, but a lost trade must explain
 * it.
 */
function countMissing({ kind, name, mint, parts }: SoldRow, { losses }: Comparing, { count, faults }: Counting): void {
  count(`${kind}: only without losses`)
  if (!parts.some((part) => losses.touches(mint, part))) faults.push(`${name} is missing, and no lost trade touches it`)
}

type Wallet = Readonly<{ wallet: string; sums: SoldWallet }>

/**
 * The sums of a wallet have no flag. Only the wallet's followed buys have one. So if two sums differ, the
 * buys below them must differ.
 */
function compareWallet({ wallet, sums }: Wallet, { whole, lossy }: Comparing, { count, faults }: Counting): void {
  const truth = whole.wallets.get(wallet)
  count('wallet')
  if (truth && truth.leader !== sums.leader) count('wallet: another row of the list')
  if (!truth || truth.own === sums.own) return
  count('wallet: other sums')
  const areSame = truth.listedFromMs === null && truth.buys.join() === sums.buys.join()
  if (areSame && truth.buys.every((name) => whole.rows.get(name)?.text === lossy.rows.get(name)?.text))
    faults.push(`${wallet}: other sums of the same buys`)
}
