/** `npm run attacks -- NAME` runs one attack on the service, for example `damage 200`. The exit code is 1 if the attack does harm. */
import { attackByDamage } from './damage/damage.ts'
import { attackByDependencies } from './dependencies.ts'
import { attackByEndlessFacilitator } from './facilitators/endless-facilitator.ts'
import { attackByLyingFacilitator } from './facilitators/lying-facilitator.ts'
import { attackBySlowFacilitator } from './facilitators/slow-facilitator.ts'
import { attackByHostilePages } from './hostile/hostile-pages.ts'
import { attackByKafkaGarbage } from './hostile/kafka-garbage.ts'
import { attackByLies } from './lies/lies.ts'
import { attackByHalfHeads } from './nodes/half-heads.ts'
import { attackByWrongTimes } from './nodes/wrong-times.ts'
import { attackBySolanaLies } from './solana/solana-lies.ts'
import { attackByProxiedStorms, attackByStorms } from './storms/storms.ts'
import { attackByStillReaders } from './stream/still-readers.ts'

const attacks: Readonly<Record<string, (options: readonly string[]) => Promise<boolean>>> = {
  damage: attackByDamage,
  dependencies: attackByDependencies,
  'endless-facilitator': attackByEndlessFacilitator,
  'half-heads': attackByHalfHeads,
  'kafka-garbage': attackByKafkaGarbage,
  lies: attackByLies,
  'hostile-pages': attackByHostilePages,
  'lying-facilitator': attackByLyingFacilitator,
  'proxied-storms': attackByProxiedStorms,
  'slow-facilitator': attackBySlowFacilitator,
  'solana-lies': attackBySolanaLies,
  'still-readers': attackByStillReaders,
  storms: () => attackByStorms(),
  'wrong-times': attackByWrongTimes,
}

const [name = '', ...options] = process.argv.slice(2)
const attack = attacks[name]
if (attack === undefined) {
  console.error(`There is no attack ${name}. There are: ${Object.keys(attacks).join(', ')}`)
  process.exit(2)
}
process.exit((await attack(options)) ? 0 : 1)
