/** `npm run attacks -- <name>`: attacks a service on this machine, and prints what came of it. Without a name: all of them. */
import { attackByEndlessFacilitator } from './endless-facilitator.ts'
import { attackByLyingFacilitator } from './lying-facilitator.ts'
import { attackBySlowFacilitator } from './slow-facilitator.ts'

const attacks: Readonly<Record<string, (print: (line: string) => void) => Promise<void>>> = {
  'endless-facilitator': attackByEndlessFacilitator,
  'lying-facilitator': attackByLyingFacilitator,
  'slow-facilitator': attackBySlowFacilitator,
}

const named = process.argv.slice(2)
for (const name of named.length > 0 ? named : Object.keys(attacks)) {
  const attack = attacks[name]
  if (!attack) throw new RangeError(`there is no attack ${name}, only ${Object.keys(attacks).join(', ')}`)
  process.stdout.write(`${name}:\n`)
  await attack((line) => void process.stdout.write(`  ${line}\n`))
}
