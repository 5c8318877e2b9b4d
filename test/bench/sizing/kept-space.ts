/** Computes the disk space that a service needs from the bytes that a day of it writes. */

/** A value for each place in which a service keeps data. */
export type Places<Value> = Readonly<{ facts: Value; derived: Value; tables: Value }>

/**
 * The most days that are on the disk. Topics delete whole days, and tables delete whole partitions of up to 30 days, so
 * each retention is longer by that.
 */
export const keptDays: Places<number> = { facts: 7 + 1, derived: 35 + 1, tables: 35 + 30 }

/** Returns the bytes that are on the disk when the oldest data is deleted each day. */
export const keptSpaceOf = (daily: Places<number>): number =>
  daily.facts * keptDays.facts + daily.derived * keptDays.derived + daily.tables * keptDays.tables
