/** Compares two bodies field by field. Neither may have a field that the other does not have. */
import { anyText, anyTexts } from '../../support/oracle/chain-b/answers.ts'

export type Sold = Readonly<{ path: string; cutAtMs: number; body: unknown }>

/** The results of the comparisons so far. Each object in an array counts as a row. */
export type Tally = {
  rows: number
  values: number
  /** The largest relative difference between doubles. */
  worst: number
  readonly differences: string[]
}

export const createTally = (): Tally => ({ rows: 0, values: 0, worst: 0, differences: [] })

/**
 * Doubles must agree to a relative 1e-9. Returns near zero are differences of numbers near 1, so they may
 * also differ by an absolute amount.
 */
const relativeTolerance = 1e-9
const absoluteTolerance = 1e-13

/**
 * The opaque ids of exit rules, by the names of the rules. The ids come from the first outcome. All other
 * outcomes must have the same ids.
 */
export type RuleIds = Map<string, string>

export function compareBodies(sold: unknown, expected: unknown, comparing: Comparing): void {
  if (Array.isArray(expected)) compareArrays(sold, expected, comparing)
  else if (expected === anyText || expected === anyTexts) compareTexts(sold, expected, comparing)
  else if (isObject(expected)) compareObjects(sold, expected, comparing)
  else compareValues(sold, expected, comparing)
}

function compareValues(sold: unknown, expected: unknown, { tally, where }: Comparing): void {
  tally.values++
  if (sold === expected) return
  if (isDouble(sold) && isDouble(expected)) {
    const distance = Math.abs(sold - expected)
    if (distance > absoluteTolerance) tally.worst = Math.max(tally.worst, distance / Math.abs(expected))
    if (distance <= Math.max(absoluteTolerance, relativeTolerance * Math.abs(expected))) return
  }
  tally.differences.push(`${where}: ${JSON.stringify(sold)}, expected ${JSON.stringify(expected)}`)
}

type Comparing = Readonly<{ tally: Tally; ids: RuleIds; where: string }>
type Fields = Readonly<Record<string, unknown>>

/** Whole numbers are counts, instants and limits, so they must be equal. */
const isDouble = (value: unknown): value is number => typeof value === 'number' && !Number.isInteger(value)

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null

function compareArrays(sold: unknown, expected: readonly unknown[], { tally, ids, where }: Comparing): void {
  if (!Array.isArray(sold)) {
    tally.differences.push(`${where}: ${JSON.stringify(sold)}, expected an array`)
    return
  }
  const soldNames = sold.map(nameOf)
  const names = expected.map(nameOf)
  if (soldNames.join() !== names.join()) tally.differences.push(`${where}: ${describeLists(soldNames, names)}`)
  for (const [index, one] of expected.entries()) {
    const name = names[index]
    if (isObject(one) && !Array.isArray(one)) tally.rows++
    const at = soldNames.indexOf(name ?? '')
    if (at >= 0) compareBodies(sold[at], one, { tally, ids, where: `${where}[${name}]` })
  }
}

/**
 * Returns a name by which items of two arrays are matched. A row has its mint and time as its name, and other
 * items have their index.
 */
function nameOf(item: unknown, index: number): string {
  if (!isObject(item) || !('mint' in item)) return String(index)
  return `${item.mint} ${item.at ?? item.gradAt}`
}

function describeLists(sold: readonly string[], expected: readonly string[]): string {
  const missing = expected.filter((name) => !sold.includes(name))
  const extra = sold.filter((name) => !expected.includes(name))
  const isOtherOrder = missing.length + extra.length === 0
  return isOtherOrder ? 'another order' : `missing: ${missing.join(', ')}; not expected: ${extra.join(', ')}`
}

function compareTexts(sold: unknown, expected: unknown, { tally, where }: Comparing): void {
  const texts = expected === anyText ? [sold] : isObject(sold) ? Object.values(sold) : []
  tally.values += texts.length
  if (texts.length === 0 || !texts.every((text) => typeof text === 'string' && text.length > 0))
    tally.differences.push(`${where}: ${JSON.stringify(sold)} is no text`)
}

function compareObjects(sold: unknown, expected: Fields, { tally, ids, where }: Comparing): void {
  if (!isObject(sold) || Array.isArray(sold)) {
    tally.differences.push(`${where}: ${JSON.stringify(sold)}, expected an object`)
    return
  }
  const wanted = where.endsWith('.byRule') ? underIds(sold, expected, ids) : expected
  const names = new Set([...Object.keys(sold), ...Object.keys(wanted)])
  for (const name of names) {
    const at = `${where}.${name}`
    if (!Object.hasOwn(wanted, name)) tally.differences.push(`${at} is not expected`)
    else if (!Object.hasOwn(sold, name)) tally.differences.push(`${at} is missing`)
    else compareBodies(sold[name], wanted[name], { tally, ids, where: at })
  }
}

/**
 * The rules have a fixed order, so the first outcome shows the id of each rule. Only the rule `hold` has an
 * id that equals its name.
 */
function underIds(sold: Fields, expected: Fields, ids: RuleIds): Fields {
  const names = Object.keys(expected)
  const isFirst = ids.size === 0
  for (const [index, id] of Object.keys(sold).entries()) {
    const name = names[index]
    const isOpaque = id === 'hold' ? name === 'hold' : name !== 'hold' && !names.includes(id)
    if (isFirst && name !== undefined && isOpaque) ids.set(name, id)
  }
  return Object.fromEntries(names.map((name) => [ids.get(name) ?? `the id of ${name}`, expected[name]]))
}
