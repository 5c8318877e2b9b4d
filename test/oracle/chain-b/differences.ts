/**
 * Compares the records of a stage with those of an oracle, which computes them a second time with independent
 * code.
 */
import type { TokenOutput } from '../../../processors/runtime/token-entry.ts'
import type { ChainBDerived } from '../../../schemas/chain-b/derived.ts'
import { groupBy } from '../../support/group-by.ts'
import type { OracleRow } from '../../support/oracle/chain-b/records.ts'

/** Doubles may differ by this share of their value. Everything else is compared exactly. */
const toleranceRatio = 1e-9

/** The oracle of `recordsIn` does not compute these types. Other tests recount them. */
const notCounted = new Set<ChainBDerived['type']>([
  ...(['MintMinute', 'HoldersAsked', 'CopyOpened', 'CopyClosed', 'TradeGap'] as const),
  ...(['DeskOpened', 'DeskTrade', 'DeskTwin', 'DeskShadow'] as const),
])

type Row = OracleRow | TokenOutput<ChainBDerived>

/** Compares only the types that the oracle of `recordsIn` computes. */
export const differencesOf = (derived: readonly Row[], counted: readonly Row[]): readonly string[] =>
  rowDifferences(
    derived.filter(({ record }) => !notCounted.has(record.type)),
    counted,
  )

/** Compares rows by mint and type, in order. The result is empty if both sides are equal. */
export function rowDifferences(derived: readonly Row[], counted: readonly Row[]): readonly string[] {
  const nameOf = ({ token, record }: Row): string => `${token} ${record.type}`
  const ours = groupBy(derived, nameOf)
  const theirs = groupBy(counted, nameOf)
  return [...new Set([...ours.keys(), ...theirs.keys()])].flatMap((name) => {
    const left = (ours.get(name) ?? []).map(({ record }) => record.data)
    const right = (theirs.get(name) ?? []).map(({ record }) => record.data)
    return isClose(left, right) ? [] : [`${name}: ${textOf(left)} beside ${textOf(right)}`]
  })
}

function isClose(left: unknown, right: unknown): boolean {
  if (typeof left === 'number' && typeof right === 'number') {
    if (Number.isInteger(left) && Number.isInteger(right)) return left === right
    return Math.abs(left - right) <= toleranceRatio * Math.max(1e-3, Math.abs(left), Math.abs(right))
  }
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return left === right
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])]
  return names.every((name) => isClose(Reflect.get(left, name), Reflect.get(right, name)))
}

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}n` : part))
