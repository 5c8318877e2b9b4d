/**
 * The rules for the statistics of callers, which a query computes from scored posts. They define the weight
 * of a post, and how strongly the rates of a caller are shrunk (moved toward the rates of all callers).
 */
import { defaultsOf, part, real, whole } from '../rule-values.ts'

export const callersSchema = part({
  tokensMax: whole(3, [1, 1000], 'a post that names more tokens weighs 1 / that number for each of them'),
  kMin: real(5, [0, 10_000], 'the pooled value is worth so many calls at least: less would trust a handful'),
  kMax: real(100, [0, 10_000], 'and at most so many: more would hide that the callers were few'),
  ownShareMax: real(0.05, [0, 1], 'a caller with more of all calls is shrunk toward the value of all others'),
  intervalShare: real(0.9, [0, 1], 'an interval holds the true rate this often'),
  retMax: real(1, [0, 1000], 'a return counts as at most this where k is fitted'),
})

export const callersRules = defaultsOf(callersSchema)
