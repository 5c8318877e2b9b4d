/**
 * `npm run answers` pays for every route of chain B over HTTP, at several times of a simulated day. It
 * compares each field with an oracle, code that was written from the specification alone. Then it changes the
 * oracle's rules one at a time, and each change must make a difference. The exit code is 1 if a field
 * differs, the day has too few rows, or a changed rule makes no difference.
 */
import { bentBounds, bentRules } from '../../support/oracle/chain-b/bent-rules.ts'
import { bentCopyRules } from './bent-copy-rules.ts'
import { sceneNames } from './edges.ts'
import { planOf } from './plan.ts'
import { prove } from './prove.ts'

const hourMs = 3_600_000
const burstsLeast = 200
const graduationsLeast = 50

const withSceneName = (difference: string): string => {
  const scene = [...sceneNames].find(([mint]) => difference.includes(mint))
  return scene === undefined ? difference : `${difference} (${scene[1]})`
}

const startedAtMs = performance.now()
const print = (text: string) =>
  void process.stdout.write(`${String(Math.round((performance.now() - startedAtMs) / 1000)).padStart(4)} s  ${text}\n`)

const planned = planOf({ lengthMs: 24 * hourMs, edgesAfterMs: 12 * hourMs })
const bent = [...bentRules, ...bentBounds]
const { routes, differences, bursts, graduations, unseen } = await prove({
  ...planned,
  ...{ bentRules: bent, bentCopyRules, print },
})
const bentCount = bent.length + bentCopyRules.length
for (const difference of differences.slice(0, 40)) print(withSceneName(difference))
for (const { route, rows, values, worst } of routes)
  print(`${route}: ${rows} rows, ${values} values; the farthest double differs by ${worst}`)
print(`${differences.length} differences; ${bursts} bursts and ${graduations} graduations in the day`)
print(`${bentCount - unseen.length} of ${bentCount} bent rules are seen`)
if (unseen.length > 0) print(`not seen: ${unseen.join(', ')}`)
const isQuiet = bursts < burstsLeast || graduations < graduationsLeast || routes.some(({ rows }) => rows === 0)
process.exitCode = differences.length + unseen.length > 0 || isQuiet ? 1 : 0
