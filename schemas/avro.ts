/**
 * Builds Avro schemas as constants. The TypeScript type of a record is derived from the schema. So each
 * record is defined in one place only.
 */

import type { Hex } from './units.ts'

type Primitive = 'null' | 'boolean' | 'int' | 'long' | 'double' | 'string'

/** Raw bytes, for example addresses, hashes and pool ids. In code such a value is a lower-case `0x…` string. */
export const hex = { type: 'bytes', logicalType: 'hex' } as const

/**
 * An exact on-chain integer, for example wei, raw token units or a Q64.96 price. In Avro the value is a
 * big-endian two's complement number. In code the value is a bigint.
 */
export const integer = {
  type: 'bytes',
  logicalType: 'decimal',
  precision: 78,
  scale: 0,
} as const

export const nullable = <const S>(schema: S) => ['null', schema] as const

export const arrayOf = <const S>(items: S) => ({ type: 'array', items }) as const

export const enumOf = <const N extends string, const S extends readonly string[]>(name: N, symbols: S) =>
  ({ type: 'enum', name, symbols }) as const

export const recordOf = <const N extends string, const F extends readonly AvroField[]>(name: N, fields: F) =>
  ({ type: 'record', name, namespace: 'launchdata', fields }) as const

export type AvroField = Readonly<{
  name: string
  type: AvroSchema
  doc?: string
  default?: unknown
}>

export type AvroRecord = Readonly<{
  type: 'record'
  name: string
  namespace: string
  fields: readonly AvroField[]
}>

export type AvroSchema =
  | Primitive
  | typeof hex
  | typeof integer
  | readonly ['null', unknown]
  | Readonly<{ type: 'array'; items: unknown }>
  | Readonly<{ type: 'enum'; name: string; symbols: readonly string[] }>
  | AvroRecord

/**
 * The TypeScript type of the values of an Avro schema. If the schema names a special type (a flavor, such as
 * `EpochMs`), that type is used.
 */
export type AvroValue<S> = '__value' extends keyof S ? Exclude<S['__value'], undefined> : PlainValue<S>

type PlainValue<S> = S extends 'null'
  ? null
  : S extends 'boolean'
    ? boolean
    : S extends 'int' | 'long' | 'double'
      ? number
      : S extends 'string'
        ? string
        : S extends typeof hex
          ? Hex
          : S extends typeof integer
            ? bigint
            : S extends readonly ['null', infer T]
              ? AvroValue<T> | null
              : S extends { type: 'array'; items: infer T }
                ? readonly AvroValue<T>[]
                : S extends {
                      type: 'enum'
                      symbols: infer T extends readonly string[]
                    }
                  ? T[number]
                  : S extends {
                        type: 'record'
                        fields: infer F extends readonly AvroField[]
                      }
                    ? {
                        readonly [K in F[number] as K['name']]: AvroValue<K['type']>
                      }
                    : never

/**
 * The union of all records in an object of schemas. `type` is the name of the record, and `data` is the
 * content of the record.
 */
export type EventOf<Schemas extends Readonly<Record<string, AvroRecord>>> = {
  [Name in keyof Schemas & string]: Readonly<{
    type: Name
    data: AvroValue<Schemas[Name]>
  }>
}[keyof Schemas & string]
