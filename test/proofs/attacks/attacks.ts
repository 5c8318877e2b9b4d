/** `npm run attacks -- NAME`: what an attacker can do to the running service. Ends with code 1 where somebody is hurt. */
import { attackByEndlessFacilitator } from './endless-facilitator.ts'
import { attackByLyingFacilitator } from './lying-facilitator.ts'
import { attackBySlowFacilitator } from './slow-facilitator.ts'
import { attackByStorms } from './storms.ts'

const attacks: Readonly<Record<string, () => Promise<boolean>>> = {
  'endless-facilitator': attackByEndlessFacilitator,
  'lying-facilitator': attackByLyingFacilitator,
  'slow-facilitator': attackBySlowFacilitator,
  storms: attackByStorms,
}

const [name = ''] = process.argv.slice(2)
const attack = attacks[name]
if (attack === undefined) {
  console.error(`There is no attack ${name}. There are: ${Object.keys(attacks).join(', ')}`)
  process.exit(2)
}
process.exit((await attack()) ? 0 : 1)
