/** Compares two sequences of bytes: their lengths, their hashes, and their first difference. */
import { isUtf8 } from 'node:buffer'
import { createHash, type Hash } from 'node:crypto'

export type Print = (text: string) => void

export type Verdict = Readonly<{
  what: string
  /** The number of old items. */
  count: number
  old: string
  now: string
  /** The first difference. Null: there is none. */
  difference: string | null
}>

/** `name` shows the place of an item in a difference. */
export type Item = Readonly<{ name: string; bytes: Buffer }>
type Items = AsyncIterable<Item> | Iterable<Item>

/** `mayGoOn`: new items after the last old one are no difference. */
type Options = Readonly<{ mayGoOn?: boolean }>

/** Two empty sequences are a difference too, because they would prove nothing. */
export async function compareItems(
  what: string,
  { old, now }: Readonly<{ old: Items; now: Items }>,
  { mayGoOn = false }: Options = {},
): Promise<Verdict> {
  const [oldHash, nowHash] = [createHash('sha256'), createHash('sha256')]
  const others = iterate(now)
  let count = 0
  let difference: string | null = null
  for await (const item of old) {
    const { value: other } = await others.next()
    add(oldHash, item)
    if (other !== undefined) add(nowHash, other)
    difference ??= differenceOf(item, other)
    count++
  }
  for (let more = mayGoOn ? undefined : (await others.next()).value; more; more = (await others.next()).value) {
    add(nowHash, more)
    difference ??= `${more.name} is not in the old`
  }
  if (count === 0) difference ??= 'there is nothing to compare'
  return { what, count, old: oldHash.digest('hex'), now: nowHash.digest('hex'), difference }
}

async function* iterate(items: Items): AsyncGenerator<Item, undefined> {
  yield* items
}

/** Hashes the length of each item too, so that the boundaries of items count. */
function add(hash: Hash, { bytes }: Item): void {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  hash.update(length).update(bytes)
}

function differenceOf(old: Item, now: Item | undefined): string | null {
  if (now === undefined) return `${old.name} is missing`
  if (old.bytes.equals(now.bytes)) return null
  const differing = old.bytes.findIndex((byte, index) => byte !== now.bytes[index])
  const at = differing < 0 ? old.bytes.length : differing
  const from = Math.max(0, at - 60)
  const shown = ({ bytes }: Item) => {
    const near = bytes.subarray(from, from + 160)
    return isUtf8(bytes) ? near.toString() : near.toString('hex')
  }
  return `${old.name} differs at byte ${at}: old …${shown(old)}, new …${shown(now)}`
}

/**
 * Returns a verdict for a statement that compares no items. `difference` says why the statement is false, or
 * is null.
 */
export const claim = (what: string, count: number, difference: string | null): Verdict => ({
  what,
  count,
  old: '',
  now: '',
  difference,
})

/** The hashes are cut to 16 digits for the reader. The comparison itself used all bytes. */
export function describeVerdicts(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ what, count, old, now, difference }) => [
    what,
    String(count),
    old.slice(0, 16),
    now.slice(0, 16),
    difference === null ? 'yes' : 'NO',
  ])
  const table = [['what', 'count', 'sha-256 old', 'sha-256 new', 'equal'], ...rows]
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  const lines = table.map((row) =>
    row.map((text, at) => (at === 1 ? text.padStart(widths[at] ?? 0) : text.padEnd(widths[at] ?? 0))).join('  '),
  )
  const differences = verdicts.flatMap(({ what, difference }) =>
    difference === null ? [] : [`${what}: ${difference}`],
  )
  return [...lines.map((line) => line.trimEnd()), ...differences].join('\n')
}
