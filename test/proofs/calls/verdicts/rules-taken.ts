/** Counts the rules and flags in the sold answers. A rule that appears in no answer was not tested. */
import { levels } from './chain-a.ts'
import { gateRules } from './safety.ts'
import type { SoldVerdict } from './verdicts.ts'

const names = [
  ...Object.keys(levels).map((rule) => `chain A: ${rule}`),
  ...['avoid', 'caution', 'ok'].map((verdict) => `chain A: verdict ${verdict}`),
  ...[...gateRules, 'provider: …'].map((rule) => `chain B: ${rule}`),
  ...['gate passes', 'gate fails', 'gate knows nothing', 'enter', 'pass'].map((name) => `chain B: ${name}`),
  ...['run', 'young', 'cluster'].map((flag) => `precall: ${flag}`),
]

/** The fields of both chains’ verdicts and of precalls. */
type Body = Readonly<{
  verdict?: string
  reasons?: readonly Readonly<{ rule: string }>[]
  safety?: Readonly<{ pass: boolean | null; fails: readonly string[] }>
  trader?: Readonly<{ action: string }>
  precall?: Readonly<{ flags: readonly string[] }> | null
  flags?: readonly string[]
}>

/** `precalls` are bodies. */
export type SoldAnswers = Readonly<{ verdicts: readonly SoldVerdict[]; precalls: readonly unknown[] }>

/** False: no answer had some rule. */
export function areRulesTaken({ verdicts, precalls }: SoldAnswers, print: (text: string) => void): boolean {
  const counts = new Map(names.map((name) => [name, 0]))
  const told = [
    ...verdicts.flatMap(({ chain, body }) => (chain === 'a' ? takenOnChainA : takenOnChainB)((body ?? {}) as Body)),
    ...precalls.flatMap((body) => flagged(body as Body)),
  ]
  for (const name of told) counts.set(name, (counts.get(name) ?? 0) + 1)
  for (const [name, count] of counts) print(`${name}: ${count}${count === 0 ? ' NEVER TAKEN' : ''}`)
  return ![...counts.values()].includes(0)
}

const flagged = ({ flags = [] }: Pick<Body, 'flags'>): readonly string[] => flags.map((flag) => `precall: ${flag}`)

/** A verdict also shows the precall of its token. */
const takenOnChainA = ({ verdict, reasons = [], precall }: Body): readonly string[] => [
  ...(verdict === undefined ? [] : [`chain A: verdict ${verdict}`]),
  ...flagged(precall ?? {}),
  ...reasons.map(({ rule }) => `chain A: ${rule}`),
]

function takenOnChainB({ safety, trader }: Body): readonly string[] {
  if (safety === undefined || trader === undefined) return []
  const { pass, fails } = safety
  const gate = pass === null ? 'gate knows nothing' : pass ? 'gate passes' : 'gate fails'
  const rules = fails.map((name) => (name.startsWith('provider: ') ? 'provider: …' : name))
  return [gate, trader.action, ...rules].map((name) => `chain B: ${name}`)
}
