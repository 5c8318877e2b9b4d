/** Two sequences of bytes held against each other: how many, what they hash to, and where they first differ. */
import { isUtf8 } from 'node:buffer'
import { createHash, type Hash } from 'node:crypto'

export type Print = (text: string) => void

export type Verdict = Readonly<{
  what: string
  /** Of the old ones. */
  count: number
  old: string
  now: string
  /** Null: none. */
  difference: string | null
}>

/** A name says where an item stands, for the first difference. */
export type Item = Readonly<{ name: string; bytes: Buffer }>
type Items = AsyncIterable<Item> | Iterable<Item>

/** `mayGoOn`: what the new ones have behind the last old one is no difference. */
type Options = Readonly<{ mayGoOn?: boolean }>

/** None at all is a difference too: it would prove nothing. */
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

/** With their lengths: what one item ends with must not pass as the next one's beginning. */
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

/** A sentence that holds or does not, in the shape of a comparison. */
export const claim = (what: string, count: number, difference: string | null): Verdict => ({
  what,
  count,
  old: '',
  now: '',
  difference,
})

/** The hashes are cut to 16 digits, which is enough to see them equal; equality was judged byte by byte. */
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
