/** The rows of the log's index with their checksums. Reading a damaged row fails with `log_corrupt`. */
import { isSealed, sealed, unseal } from '../../checked-bytes.ts'
import type { Environment } from '../../data-dir/lmdb.ts'
import { rowDamaged } from './damage.ts'

/** The key of a row: the kind of the row, then the names or numbers of its subject, such as topic and partition. */
export type RowKey = readonly [kind: string, ...about: (string | number)[]]

type RowRange = Readonly<{ start: RowKey; end: RowKey; limit?: number; reverse?: boolean }>

export type CheckedRow = Readonly<{ key: RowKey; body: Buffer }>

export type CheckedRows = ReturnType<typeof createCheckedRows>

export function createCheckedRows(main: Environment) {
  const bodyOf = (key: RowKey, row: Buffer): Buffer => {
    const body = unseal(nameOf(key), row)
    if (body !== null) return body
    throw rowDamaged(main, nameOf(key))
  }
  const checked = (key: RowKey, row: Buffer): CheckedRow => ({ key, body: bodyOf(key, row) })
  return {
    get(key: RowKey): Buffer | undefined {
      const row = main.get([...key])
      return row && bodyOf(key, row)
    },
    put: (key: RowKey, body: Buffer): void => void main.putSync([...key], sealed(nameOf(key), body)),
    *range({ start, end, ...more }: RowRange): Generator<CheckedRow> {
      for (const { key, value } of main.getRange({ start: [...start], end: [...end], ...more }))
        yield checked(key as unknown as RowKey, value)
    },
  }
}

const nameOf = (key: RowKey): string => key.join('/')

const rangeOfKind = (kind: string) => ({ start: [kind] as const, end: [kind, '\uffff'] as const })

const formatKey: RowKey = ['format']
const kinds = ['compacted', 'count', 'end', 'epoch', 'segment'] as const

/**
 * Whether the directory comes from an old version of this program that wrote no checksums, and no later
 * version has added them.
 */
export function isOfBefore(main: Environment): boolean {
  if (createCheckedRows(main).get(formatKey) !== undefined) return false
  for (const _ of main.getKeys({ start: ['count'], limit: 1 })) return true
  return false
}

/**
 * Adds checksums to the rows of an old directory that has none. Also records the offset up to which the
 * blocks of each partition have no checksums. After that, a row without a checksum counts as damaged.
 */
export function addRowSums(main: Environment): void {
  const rows = createCheckedRows(main)
  if (rows.get(formatKey) !== undefined) return
  main.transactionSync(() => {
    if (rows.get(formatKey) !== undefined) return
    for (const kind of kinds)
      for (const { key, value } of [...main.getRange({ start: [kind], end: [kind, '\uffff'] })]) {
        if (isSealed(value)) continue
        const [, ...about] = key as unknown as RowKey
        rows.put([kind, ...about], value)
        if (kind === 'end') rows.put(['checked', ...about], value)
      }
    rows.put(formatKey, Buffer.from('checksums'))
  })
}

/** Reads every row of the log's index, and fails with `log_corrupt` if a row is damaged. */
export function checkRows(main: Environment): void {
  const rows = createCheckedRows(main)
  for (const kind of [...kinds, 'checked', 'gap']) for (const _ of rows.range(rangeOfKind(kind)));
}
