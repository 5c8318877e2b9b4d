/**
 * Computes one state for each pool, curve, mint and call of a log. The only input is the derived records,
 * including those that withdraw or replace rows.
 */
import { isMark, type RowKey, type Stage, type StageRecord } from '../../schemas/stage.ts'

/** The states in order of precedence. If several states fit, the first state in this list counts. */
const endStates = ['withdrawn', 'rugged', 'dead', 'graduated', 'evicted', 'alive'] as const
export type EndState = (typeof endStates)[number]

type Named = Readonly<{ token: string; record: StageRecord }>
type Data = Readonly<Record<string, unknown>>

/** What a row says about the pool, curve, mint or call `name`. `isOpening` is true if the row opens it. */
type Says = Readonly<{ name: string; state: Exclude<EndState, 'withdrawn'>; isOpening: boolean }>

/** By name. */
export function endStatesOf(stage: Stage, outputs: readonly Named[]): ReadonlyMap<string, EndState> {
  const rows = new Map<string, Says[]>()
  const opened = new Set<string>()
  const rowOf = (token: string, key: RowKey) => `${token} ${key.recordType} ${stage.rowNameOf(key)} ${key.atMs}`
  for (const { token, record } of outputs) {
    if (isMark(record)) {
      if (record.type === 'Withdrawn') rows.delete(rowOf(token, record.data))
      continue
    }
    const says = saysOf(token, record)
    for (const { name, isOpening } of says) if (isOpening) opened.add(name)
    rows.set(rowOf(token, stage.rowKeyOf(record)), says)
  }
  const states = new Map<string, Set<EndState>>()
  for (const { name, state } of [...rows.values()].flat()) states.set(name, (states.get(name) ?? new Set()).add(state))
  const isLiving = new Set([...rows.values()].flat().flatMap(({ name, isOpening }) => (isOpening ? [name] : [])))
  return new Map(
    [...opened].map((name) => {
      const found = states.get(name) ?? new Set()
      return [name, isLiving.has(name) ? (endStates.find((state) => found.has(state)) ?? 'alive') : 'withdrawn']
    }),
  )
}

function saysOf(token: string, { type, data }: StageRecord): Says[] {
  const row = data as Data
  const says = (name: string, state: Says['state'], isOpening = false): Says => ({ name, state, isOpening })
  switch (type) {
    case 'PoolOpened':
      return [says(`pool ${row.pool}`, 'alive', true)]
    case 'PoolClosed':
      return [says(`pool ${row.pool}`, 'evicted')]
    case 'BurstOutcome':
      return row.rug !== null && row.rug !== undefined ? [says(`pool ${row.pool}`, 'rugged')] : []
    case 'LaunchCurve':
      return [says(`curve ${row.curve}`, row.gradBlock === null ? 'alive' : 'graduated', true)]
    case 'CurveClosed':
      return [says(`curve ${row.curve}`, 'evicted')]
    case 'MintOpened':
      return [says(`mint ${token}`, 'alive', true)]
    case 'Graduation':
      return [says(`mint ${token}`, 'graduated')]
    case 'MintClosed':
      return [says(`mint ${token}`, 'evicted')]
    case 'Call':
      return [says(`call ${token}`, callState(row), true)]
    default:
      return []
  }
}

function callState({ ruggedAtMs, isDead, isDone }: Data): Says['state'] {
  if (ruggedAtMs !== null) return 'rugged'
  if (isDead) return 'dead'
  return isDone ? 'evicted' : 'alive'
}
