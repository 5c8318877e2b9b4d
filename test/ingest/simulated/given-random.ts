import type { Random } from '../../../ingest/simulated/random.ts'

type Given = Readonly<{
  /** The results of `unit`, in the order of the calls. After the last one, every result is 0. */
  units?: readonly number[]
  /** The results of `chance`, in the order of the calls. After the last one, every result is false. */
  chances?: readonly boolean[]
  /** Whether `whole` returns the greatest number. Otherwise it returns the least. */
  isMost?: boolean
}>

/** Random numbers that a test chooses, so that it can name the exact result. The other distributions always give 1. */
export function givenRandom({ units = [], chances = [], isMost = false }: Given): Random {
  const [unitsLeft, chancesLeft] = [units.values(), chances.values()]
  return {
    unit: () => unitsLeft.next().value ?? 0,
    whole: (least, most) => (isMost ? most : least),
    chance: () => chancesLeft.next().value ?? false,
    ...{ exponential: () => 1, logNormal: () => 1, pareto: () => 1 },
    pick: ([first]) => first,
  }
}
