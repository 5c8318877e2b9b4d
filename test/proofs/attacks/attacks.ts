/** `npm run attacks -- NAME`: what an attacker can do to the running service. Ends with code 1 where an honest buyer is hurt. */
import { attackByStorms } from './storms.ts'

const attacks: Readonly<Record<string, () => Promise<boolean>>> = { storms: attackByStorms }

const [name = ''] = process.argv.slice(2)
const attack = attacks[name]
if (attack === undefined) {
  console.error(`There is no attack ${name}. There are: ${Object.keys(attacks).join(', ')}`)
  process.exit(2)
}
process.exit((await attack()) ? 0 : 1)
