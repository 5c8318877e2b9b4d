/** False values in place of true ones. Each lie is counted by kind. */
import type { Random } from '../../../../ingest/simulated/random.ts'

export type Lying = Readonly<{
  random: Random
  count: (kind: string) => void
  /** Fields that are left true, because no reader can notice that they are false. */
  believed: ReadonlySet<string>
}>

const wrongTypes = [null, true, false, -1, 12, '', 'x', [], {}, [null], { '': null }] as const
const hugeNumbers = [1e308, 2 ** 53, 9_007_199_254_740_993n.toString(), `0x${'f'.repeat(13)}`, '1e400'] as const
const oddNumbers = [-1, -(2 ** 53), 1.5, '-0x1', '0x-1', '1.5', ' 0x1', '0x', '0xzz', 'NaN', '-Infinity'] as const
const wrongHashes = [
  `0x${'f'.repeat(64)}`,
  `0x${'0'.repeat(64)}`,
  '0xf',
  '1'.repeat(44),
  `0x${'g'.repeat(64)}`,
] as const
/** Wrong times in seconds, hex seconds, milliseconds and text. */
const wrongTimes = [
  ...[0, 30, '0x1e', 4_102_444_800, '0xf4865700', 4_102_444_800_000, 1e17, -62_135_596_800],
  ...['2100-01-01T00:00:00Z', '1970-01-01T00:00:00+00:00', '0000-00-00', 'soon'],
] as const

const nestedDeep = (depth: number): unknown => {
  let value: unknown = null
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { in: value }
  return value
}

const instead: Readonly<Record<string, (random: Random) => unknown>> = {
  'a wrong type': (random) => random.pick(wrongTypes),
  'a huge number': (random) => random.pick(hugeNumbers),
  'an odd number': (random) => random.pick(oddNumbers),
  'a wrong time': (random) => random.pick<unknown>(wrongTimes),
  'a wrong hash': (random) => random.pick(wrongHashes),
  'deep nesting': () => nestedDeep(500),
  'a long text': (random) => 'x'.repeat(random.pick([10_000, 1_000_000])),
}
const kinds = Object.keys(instead)

function replace({ random, count }: Lying): unknown {
  const kind = kinds[random.whole(0, kinds.length - 1)] ?? ''
  count(kind)
  return instead[kind]?.(random)
}

/** Returns the answer with one field changed. */
export function lieAbout(answer: unknown, lying: Lying): unknown {
  const { random, believed, count } = lying
  if (typeof answer !== 'object' || answer === null || random.chance(0.1)) return replace(lying)
  if (Array.isArray(answer)) return lieInList(answer, lying)
  const names = Object.keys(answer).filter((name) => !believed.has(name))
  const name = names[random.whole(0, names.length - 1)]
  if (name === undefined) return answer
  const { [name]: left, ...rest } = answer as Record<string, unknown>
  if (!random.chance(0.2)) return { ...rest, [name]: lieAbout(left, lying) }
  count('a missing field')
  return rest
}

function lieInList(list: readonly unknown[], lying: Lying): unknown {
  const { random, count } = lying
  const at = random.whole(0, list.length - 1)
  const changed: Readonly<Record<string, () => unknown>> = {
    'a repeated item': () => list.toSpliced(at, 0, list[at]),
    'a reordered list': () => list.toReversed(),
    'a missing item': () => list.toSpliced(at, 1),
    'a shorter list': () => list.slice(0, at),
  }
  if (list.length === 0) return replace(lying)
  const kind = Object.keys(changed)[random.whole(0, 7)]
  if (kind === undefined) return list.with(at, lieAbout(list[at], lying))
  count(kind)
  return changed[kind]?.()
}
