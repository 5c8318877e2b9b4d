/**
 * Keeps the JSON of rows that many answers show, such as a burst that no longer changes. Most of the time of a long list
 * would otherwise go into writing the same JSON again.
 */

/** The JSON of each kept object. It is written when an answer first needs it. */
const kept = new WeakMap<object, { json: Buffer | null }>()

type Present<Row, Context extends readonly unknown[], Presented> = (row: Row, ...context: Context) => Presented

const withoutContext = {}

/**
 * Returns a function that presents a row only the first time. Later it returns the same object, whose JSON `jsonOf`
 * keeps. The caller must not change the row, the context or the result.
 */
export function keepPresented<Row extends object, Context extends readonly object[], Presented extends object>(
  present: Present<Row, Context, Presented>,
): Present<Row, Context, Presented> {
  const byContext = new WeakMap<object, WeakMap<Row, Presented>>()
  return (row, ...context) => {
    const [key = withoutContext] = context
    const ofContext = byContext.get(key) ?? new WeakMap<Row, Presented>()
    byContext.set(key, ofContext)
    const known = ofContext.get(row)
    if (known) return known
    const presented = present(row, ...context)
    ofContext.set(row, presented)
    kept.set(presented, { json: null })
    return presented
  }
}

/** The depth of the lists in an answer. The lists of the snapshot are in the object of a chain. */
const depthMax = 2

/**
 * Returns the bytes of `JSON.stringify(body)`, made with the kept JSON of the rows in lists. The body and its fields have
 * no `toJSON`.
 */
export function jsonOf(body: object): Buffer {
  const parts: Buffer[] = []
  let text = ''
  const writeKept = (json: Buffer) => {
    parts.push(Buffer.from(text), json)
    text = ''
  }
  const writeRows = (rows: readonly object[]) => {
    for (const [index, row] of rows.entries()) {
      text += index === 0 ? '[' : ','
      const entry = kept.get(row)
      if (entry === undefined) {
        text += JSON.stringify(row) ?? 'null'
        continue
      }
      entry.json ??= bufferOf(JSON.stringify(row))
      writeKept(entry.json)
    }
    text += ']'
  }
  const writeFields = (fields: object, depth: number) => {
    let separator = '{'
    for (const [name, value] of Object.entries(fields)) {
      if (value === undefined) continue
      text += `${separator}${JSON.stringify(name)}:`
      write(value, depth)
      separator = ','
    }
    text += separator === '{' ? '{}' : '}'
  }
  const write = (value: unknown, depth: number) => {
    if (isRows(value)) writeRows(value)
    else if (depth > 0 && isFields(value)) writeFields(value, depth - 1)
    else text += JSON.stringify(value)
  }
  write(body, depthMax)
  return Buffer.concat([...parts, Buffer.from(text)])
}

/** A buffer with memory of its own. `Buffer.from` takes a part of a shared block, and keeps all of the block in memory. */
function bufferOf(text: string): Buffer {
  const buffer = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  buffer.write(text)
  return buffer
}

const isRows = (value: unknown): value is readonly object[] => Array.isArray(value) && kept.has(value[0])

const isFields = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
