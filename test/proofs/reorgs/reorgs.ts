/**
 * `npm run reorgs -- 250 [first seed]` checks the promises about reorgs with 250 seeds. The exit code is 1 if a promise is broken. `npm run
 * reorgs -- choose stage|ingest [250] [words of a name]` prints which seeds find which mistakes, and few seeds that find all of these.
 */
import { fileURLToPath } from 'node:url'
import { findersOf, pickSeeds } from './choose.ts'
import type { Machinery } from './sabotages.ts'
import { trySeeds } from './try-seeds.ts'

const print = (text: string) => void process.stdout.write(`${text}\n`)
const from = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index)
const startedAtMs = performance.now()
const secondsSoFar = () => Math.round((performance.now() - startedAtMs) / 1000)
const [command = '250', ...rest] = process.argv.slice(2)

if (command === 'choose') {
  const [machinery = 'stage', countText = '250', named = ''] = rest
  const all = await findersOf({
    machinery: machinery as Machinery,
    seeds: from(1, Number(countText)),
    named,
    onFinders: ({ name, tried, finders }) =>
      print(`${String(finders.length).padStart(3)} of ${String(tried).padStart(3)}  ${name}: ${finders.join(' ')}`),
  })
  const missed = all.filter(({ finders }) => finders.length === 0)
  print(
    `${all.length - missed.length} of ${all.length} mistakes found in ${secondsSoFar()} s; enough is ${pickSeeds(all)}`,
  )
} else {
  const seeds = from(Number(rest[0] ?? 1), Number(command))
  const { tried, differing, sentences } = await trySeeds({
    machinery: 'stage',
    seeds,
    folder: fileURLToPath(new URL('../../..', import.meta.url)),
    differingMax: Number.POSITIVE_INFINITY,
    onSeed: (count) => count % 50 === 0 && print(`${count} of ${seeds.length}, ${secondsSoFar()} s`),
  })
  for (const sentence of sentences) print(sentence)
  print(`${tried} seeds from ${seeds[0]} in ${secondsSoFar()} s: ${differing.length} differ`)
  process.exitCode = differing.length === 0 ? 0 : 1
}
