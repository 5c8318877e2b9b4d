/**
 * Measures the time to copy an object and add fields, in three spellings, and to write the copies as JSON. See
 * `infra/docs/decisions/code/new-fields-come-before-a-spread.md`.
 */
import { median } from './rounds.ts'

const objects = 1_000
const rounds = 40
const roundsToWarmUp = 20

type Row = Readonly<ReturnType<typeof rowAt>>

const rowAt = (index: number) => ({
  token: `0x${index}`,
  pool: `0x${2 * index}`,
  atMs: index,
  buys: index % 7,
  sells: index % 3,
  px: index / 3,
  inflow: index / 7,
  lp: null,
})

const spellings: Readonly<Record<string, (row: Row) => object>> = {
  '{ a: row.a, …, more }': ({ token, pool, atMs, buys, sells, px, inflow, lp }) => {
    return { token, pool, atMs, buys, sells, px, inflow, lp, rug: 1, gaps: 2, rank: 3 }
  },
  '{ more, ...row }': (row) => ({ rug: 1, gaps: 2, rank: 3, ...row }),
  '{ ...row, more }': (row) => ({ ...row, rug: 1, gaps: 2, rank: 3 }),
}

export function measureSpreads(): void {
  console.log(
    `a copy of an object of ${Object.keys(rowAt(0)).length} fields with three more, in Node ${process.version}:`,
  )
  const measured = Object.entries(spellings).map(([name, spell]) => ({ name, ...timesOf(spell) }))
  const first = measured[0]
  for (const { name, copyNs, jsonNs } of measured)
    console.log(
      `  ${name.padEnd(22)} ${copyNs.toFixed(0).padStart(6)} ns (${(copyNs / (first?.copyNs ?? Number.NaN)).toFixed(1)} x), as JSON ${jsonNs.toFixed(0).padStart(6)} ns more (${(jsonNs / (first?.jsonNs ?? Number.NaN)).toFixed(1)} x)`,
    )
}

function timesOf(spell: (row: Row) => object): Readonly<{ copyNs: number; jsonNs: number }> {
  const copies: number[] = []
  const texts: number[] = []
  for (let round = 0; round < roundsToWarmUp + rounds; round++) {
    const rows = Array.from({ length: objects }, (_, index) => rowAt(index))
    const beganMs = performance.now()
    const made = rows.map(spell)
    const madeMs = performance.now()
    JSON.stringify(made)
    if (round < roundsToWarmUp) continue
    copies.push(((madeMs - beganMs) * 1e6) / objects)
    texts.push(((performance.now() - madeMs) * 1e6) / objects)
  }
  return { copyNs: median(copies), jsonNs: median(texts) }
}
