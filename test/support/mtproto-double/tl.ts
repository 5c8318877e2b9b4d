/**
 * Encodes and decodes TL, the platform's data format, by its published schema. No code of the tested client
 * is used.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

type Modifiers = Readonly<{ predicate?: string; isVector?: boolean }>
type Argument = Readonly<{ name: string; type: string; typeModifiers?: Modifiers }>
type Entry = Readonly<{ kind: 'class' | 'method'; name: string; id: number; arguments: readonly Argument[] }>

/**
 * An object of TL. `_` is the name of the constructor or method, and fields are in camel case. An absent
 * number counts as 0. An absent text or list counts as empty.
 */
export type TlObject = { readonly _: string; readonly [field: string]: unknown }

const require = createRequire(import.meta.url)
const read = (path: string): unknown => JSON.parse(readFileSync(require.resolve(path), 'utf8'))
const api = read('@mtcute/core/tl/api-schema.json') as { e: Entry[] }
const core = read('@mtcute/core/tl/mtp-schema.json') as Entry[]
const entries = [...api.e, ...core]
const byName = new Map(entries.map((entry) => [entry.name, entry]))
const byId = new Map(entries.map((entry) => [entry.id, entry]))
const vectorId = 0x1cb5c415
const trueId = 0x997275b5
const falseId = 0xbc799737

const camel = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** Returns the name of the flags field and the bit in it. The bit says whether an optional field is present. */
const flagOf = (predicate: string): readonly [flags: string, bit: number] => {
  const [flags = '', bit = ''] = predicate.split('.')
  return [flags, Number(bit)]
}

export function encode(object: TlObject): Buffer {
  const entry = byName.get(object._)
  if (!entry) throw new Error(`the schema has no ${object._}`)
  const fields = entry.arguments.map((argument) => encodeField(entry, argument, object))
  return Buffer.concat([uint(entry.id), ...fields])
}

function encodeField(entry: Entry, { name, type, typeModifiers = {} }: Argument, object: TlObject): Buffer {
  if (type === '#') return uint(flagsOf(entry, name, object))
  const value = object[camel(name)]
  if (type === 'true' || (typeModifiers.predicate !== undefined && value === undefined)) return Buffer.alloc(0)
  const where = `${object._}.${name}`
  if (!typeModifiers.isVector) return encodeValue(type, value, where)
  const items = (value ?? []) as readonly unknown[]
  return Buffer.concat([uint(vectorId), uint(items.length), ...items.map((item) => encodeValue(type, item, where))])
}

function flagsOf(entry: Entry, flagsName: string, object: TlObject): number {
  let flags = 0
  for (const { name, type, typeModifiers } of entry.arguments) {
    if (typeModifiers?.predicate === undefined) continue
    const [owner, bit] = flagOf(typeModifiers.predicate)
    const value = object[camel(name)]
    if (owner === flagsName && (type === 'true' ? value === true : value !== undefined)) flags |= 1 << bit
  }
  return flags >>> 0
}

const uint = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value >>> 0)
  return bytes
}

function encodeValue(type: string, value: unknown, where: string): Buffer {
  if (type === 'int') return uint(Number(value ?? 0))
  if (type === 'long' || type === 'int53') return int64(BigInt(String(value ?? 0)))
  if (type === 'double') {
    const bytes = Buffer.alloc(8)
    bytes.writeDoubleLE(Number(value ?? 0))
    return bytes
  }
  if (type === 'string' || type === 'bytes') return encodeBytes(Buffer.from((value ?? '') as string | Uint8Array))
  if (type === 'Bool') return uint(value === true ? trueId : falseId)
  if (value === undefined) throw new Error(`${where} is missing`)
  return encode(value as TlObject)
}

export function int64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64LE(BigInt.asIntN(64, value))
  return bytes
}

function encodeBytes(bytes: Buffer): Buffer {
  const head =
    bytes.length < 254
      ? Buffer.from([bytes.length])
      : Buffer.from([254, bytes.length & 255, (bytes.length >> 8) & 255, bytes.length >> 16])
  const padding = (4 - ((head.length + bytes.length) % 4)) % 4
  return Buffer.concat([head, bytes, Buffer.alloc(padding)])
}

type Cursor = { readonly bytes: Buffer; at: number }

/** Decodes an object. Returns null if the schema has no object with its id. */
export const decode = (bytes: Buffer): TlObject | null => decodeObject({ bytes, at: 0 })

/** Moves the cursor past `size` bytes, and returns the position of the first of these bytes. */
function take(cursor: Cursor, size: number): number {
  cursor.at += size
  return cursor.at - size
}

const readUint = (cursor: Cursor): number => cursor.bytes.readUInt32LE(take(cursor, 4))

function decodeObject(cursor: Cursor): TlObject | null {
  const entry = byId.get(readUint(cursor))
  if (!entry) return null
  const object: Record<string, unknown> & { _: string } = { _: entry.name }
  const flags = new Map<string, number>()
  for (const argument of entry.arguments) {
    if (argument.type === '#') flags.set(argument.name, readUint(cursor))
    else object[camel(argument.name)] = decodeField(cursor, argument, flags)
  }
  return object
}

function decodeField(cursor: Cursor, { type, typeModifiers = {} }: Argument, flags: ReadonlyMap<string, number>) {
  const { predicate, isVector } = typeModifiers
  if (predicate !== undefined) {
    const [owner, bit] = flagOf(predicate)
    const isThere = ((flags.get(owner) ?? 0) & (1 << bit)) !== 0
    if (type === 'true') return isThere
    if (!isThere) return undefined
  }
  if (!isVector) return decodeValue(cursor, type)
  readUint(cursor)
  return Array.from({ length: readUint(cursor) }, () => decodeValue(cursor, type))
}

function decodeValue(cursor: Cursor, type: string): unknown {
  if (type === 'int') return readUint(cursor) | 0
  if (type === 'int53') return Number(cursor.bytes.readBigInt64LE(take(cursor, 8)))
  if (type === 'long') return cursor.bytes.readBigInt64LE(take(cursor, 8))
  if (type === 'double') return cursor.bytes.readDoubleLE(take(cursor, 8))
  if (type === 'Bool') return readUint(cursor) === trueId
  if (type === 'string') return decodeBytes(cursor).toString()
  return type === 'bytes' ? decodeBytes(cursor) : decodeObject(cursor)
}

function decodeBytes(cursor: Cursor): Buffer {
  const first = cursor.bytes[cursor.at] ?? 0
  const isLong = first === 254
  const length = isLong ? cursor.bytes.readUIntLE(cursor.at + 1, 3) : first
  const head = isLong ? 4 : 1
  const from = cursor.at + head
  cursor.at = from + length + ((4 - ((head + length) % 4)) % 4)
  return cursor.bytes.subarray(from, from + length)
}
