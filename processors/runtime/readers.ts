/**
 * Finds the processors of a stage that read a type of facts, derived records or market changes. The result
 * for each type is cached, because it is needed for every fact.
 */
import assert from 'node:assert/strict'

/** Returns a function that lists, by index, the processors after `from` that read a type of market change. */
export function moversByType(processors: readonly Reader[], from: number): (type: string) => readonly number[] {
  const isMover = ({ onMove, readsMoves }: Reader, type: string) =>
    onMove !== undefined && (readsMoves === undefined || readsMoves.includes(type))
  return eachTypeOnce((type) =>
    processors.flatMap((processor, index) => (index > from && isMover(processor, type) ? [index] : [])),
  )
}

/** The processors that read a type of fact. `bits` has one bit per processor. `indices` lists only the processors with an `onFact`. */
export type Readers = Readonly<{ indices: readonly number[]; bits: number }>

type Reader = Readonly<{
  reads?: readonly string[]
  onFact?: unknown
  readsDerived?: readonly string[]
  onDerived?: unknown
  readsMoves?: readonly string[]
  onMove?: unknown
}>

/** The maximum number of processors of a stage. It is limited by `Entry.readBy`, which has one bit for each. */
const processorsMax = 31

export function readersByType(processors: readonly Reader[]): (type: string) => Readers {
  assert(processors.length <= processorsMax, `a stage has more than ${processorsMax} processors`)
  const readersOf = (type: string): Readers => {
    const isReader = ({ reads }: Reader) => reads === undefined || reads.some((its) => its === type)
    const readers = processors.flatMap((processor, index) => (isReader(processor) ? [index] : []))
    const bits = readers.reduce((mask, index) => mask | (1 << index), 0)
    return { indices: readers.filter((index) => processors[index]?.onFact), bits }
  }
  return eachTypeOnce(readersOf)
}

/** Returns a function that lists, by index, the processors after `from` that read a type of derived record. */
export function followersByType(processors: readonly Reader[], from: number): (type: string) => readonly number[] {
  const isFollower = ({ onDerived, readsDerived }: Reader, type: string) =>
    onDerived !== undefined && (readsDerived === undefined || readsDerived.includes(type))
  return eachTypeOnce((type) =>
    processors.flatMap((processor, index) => (index > from && isFollower(processor, type) ? [index] : [])),
  )
}

function eachTypeOnce<Found>(find: (type: string) => Found): (type: string) => Found {
  const known = new Map<string, Found>()
  return (type) => {
    const seen = known.get(type)
    if (seen !== undefined) return seen
    const found = find(type)
    known.set(type, found)
    return found
  }
}
